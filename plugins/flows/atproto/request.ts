import { deriveHandle, makeRoom, timingSafeEqual } from "../../../src/_kit.ts";
import { InvalidCheck } from "../../../src/errors.ts";
import { clearCheck, openCheck, sealCheck } from "../../../src/kernel.ts";
import type { RequestSecrets } from "./oauth.ts";
import type { Account, AtprotoContext } from "./types.ts";

/** An authorization request in progress. */
export interface AuthorizationRequest extends RequestSecrets {
  readonly issuer: string;
  /** The account that the visitor named. Absent if the visitor named a server. */
  readonly account?: Account;
}

const KEY = "atprotoRequest";
const ROOM = { attempts: 4, length: 4000 };

/** Seals the request of an attempt into its cookie. */
export async function keepRequest(
  ctx: AtprotoContext,
  attempt: string,
  request: AuthorizationRequest,
): Promise<void> {
  await makeRoom(ctx, [KEY], ROOM);
  const handle = await deriveHandle(attempt);
  await sealCheck(ctx, KEY, { value: JSON.stringify(request), attempt }, { handle });
}

/**
 * Takes the request of an attempt from the browser.
 * @throws InvalidCheck when the browser has no request, or a request of another attempt.
 */
export async function takeRequest(
  ctx: AtprotoContext,
  attempt: string,
): Promise<AuthorizationRequest> {
  const place = { handle: await deriveHandle(attempt) };
  const check = await openCheck(ctx, KEY, place);
  clearCheck(ctx, KEY, place);
  if (timingSafeEqual(check.attempt ?? "", attempt)) {
    return JSON.parse(check.value) as AuthorizationRequest;
  }
  throw new InvalidCheck("The authorization request belongs to another attempt.");
}
