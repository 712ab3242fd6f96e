import { listEmailSpellings } from "../platform/email-address.ts";
import type { Adapter, AdapterUser } from "../types/adapter.ts";
import { callAdapter } from "./adapter.ts";

/**
 * Returns the stored user with an address, given in canonical form (`normalizeEmail`). A user who was stored with the
 * host in Unicode is also found.
 */
export async function findUserByEmail(
  adapter: Adapter,
  email: string,
): Promise<AdapterUser | null> {
  // All spellings are looked up, even after a match: a known address must not take less time than an unknown one
  // (SECURITY.md R15).
  const found = await Promise.all(
    listEmailSpellings(email).map((spelling) => callAdapter(adapter, "getUserByEmail", spelling)),
  );
  return found.find(Boolean) ?? null;
}
