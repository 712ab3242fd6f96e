import type { User } from "../types/models.ts";

/**
 * Returns since when, in seconds, sessions belong to the user who verified the address; 0 if it is
 * not verified.
 */
export function getVerifiedAt({ emailVerified }: User & { emailVerified?: unknown }): number {
  return Math.ceil(new Date((emailVerified as Date | null | undefined) ?? 0).getTime() / 1000) || 0;
}
