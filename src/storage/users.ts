import { listEmailSpellings } from "../platform/email-address.ts";
import type { Adapter, AdapterUser } from "../types/adapter.ts";
import { callAdapter } from "./adapter.ts";

/**
 * Returns the stored user with an address, which is in canonical form (`normalizeEmail`); one who was stored with
 * the host in Unicode is found too.
 */
export async function findUserByEmail(
  adapter: Adapter,
  email: string,
): Promise<AdapterUser | null> {
  for (const spelling of listEmailSpellings(email)) {
    const user = await callAdapter(adapter, "getUserByEmail", spelling);
    if (user) return user;
  }
  return null;
}
