import type { User } from "../types/models.ts";

/**
 * Returns the time, in seconds, from which sessions belong to the user who verified the address; 0 if it is not
 * verified.
 */
export function getVerifiedAt({ emailVerified }: User & { emailVerified?: unknown }): number {
  return Math.ceil(new Date((emailVerified as Date | null | undefined) ?? 0).getTime() / 1000) || 0;
}
