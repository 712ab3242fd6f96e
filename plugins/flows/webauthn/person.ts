import { randomBytes, randomUUID, sha256 } from "../../../src/index.ts";
import type {
  PasskeyInquiry,
  PasskeyPerson,
  PasskeyRequest,
  User,
  WebAuthnProvider,
} from "../../../src/index.ts";
import { adapterOf, type WebAuthnContext } from "./types.ts";

/** Length of the handles that are made of users' ids. */
export const HANDLE_LENGTH = 32;
// Auth.js gave each passkey a handle of its own, of 64 bytes.
const UNTIED_LENGTH = 64;
const LONGEST_NAME = 100;
// One address and nothing else: no control characters, no second one.
const ADDRESS = /^(?=.{3,254}$)[^\s\p{C}@,;<>"]{1,64}@[^\s\p{C}@,;<>"]+$/u;

/** What a provider's own functions are told. */
export function inquiryOf(
  ctx: WebAuthnContext,
): [PasskeyInquiry<WebAuthnProvider>, PasskeyRequest] {
  const { provider, url, request } = ctx;
  const { method, headers } = request;
  const query = Object.fromEntries(url.searchParams);
  return [
    { provider, adapter: adapterOf(ctx), url },
    { method, url, headers, query },
  ];
}

/** Who wants to register by the form's own fields. Nobody is looked up: nothing can be told. */
export function askerOf({ query }: PasskeyRequest): PasskeyPerson | null {
  const email = query.email?.normalize("NFKC").trim().toLowerCase() ?? "";
  if (!ADDRESS.test(email)) return null;
  const name = query.name?.trim().slice(0, LONGEST_NAME);
  return { user: { email, ...(name && { name }) }, exists: false };
}

/** The handle of a stored person: always the same, and no id of anything else. */
export async function handleOf(userId: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await sha256(`keyhook passkey ${userId}`));
}

/** The id that somebody new will have, and the handle for it. */
export async function newcomer(
  ctx: WebAuthnContext,
): Promise<{ id: string; handle: Uint8Array<ArrayBuffer> }> {
  const id = randomUUID();
  // An adapter that may give them another id: a handle that says nothing is better than a wrong one.
  const keepsIds = adapterOf(ctx).createUserWithAccount !== undefined;
  return { id, handle: keepsIds ? await handleOf(id) : randomBytes(UNTIED_LENGTH) };
}

/** What an authenticator shows of a person. */
export function namesOf({ email, name, id }: User): { userName: string; userDisplayName: string } {
  const userName = email || name || String(id);
  return { userName, userDisplayName: name || userName };
}
