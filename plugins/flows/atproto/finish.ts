import { AuthorizationResponseError } from "oauth4webapi";
import { AccessDenied, AuthError } from "../../../src/errors.ts";
import type { Attempt, Identity } from "../../../src/kernel.ts";
import { toAuthError } from "../_auth-error.ts";
import { findByDid } from "./account.ts";
import { getClient } from "./client.ts";
import { AtprotoCallbackError, AtprotoUnknownAccount } from "./errors.ts";
import { parseDid } from "./identifier.ts";
import { createNetwork, type Network } from "./network.ts";
import { type Granted, requestToken, validateResponse } from "./oauth.ts";
import { fetchProfile, isEmailVerified } from "./profile.ts";
import { type AuthorizationRequest, takeRequest } from "./request.ts";
import { fetchServer, findAccountIssuer } from "./server.ts";
import type { Account, AtprotoContext } from "./types.ts";

// A server can claim to have signed in any account. The claim is accepted only from the account's own server.
async function findAccount(
  ctx: AtprotoContext,
  { sub }: Granted,
  { account, issuer }: AuthorizationRequest,
  network: Network,
): Promise<Account> {
  const did = parseDid(sub);
  if (did === undefined) throw new AuthError("The signed-in account is not a DID.");
  if (account) {
    if (account.did === did) return account;
    throw new AuthError("The signed-in account is not the one entered.");
  }
  const found = await findByDid(ctx, did, network);
  if ((await findAccountIssuer(found.pds, network)) === issuer) return found;
  throw new AuthError("The signed-in account belongs to another server.");
}

async function finishRequest(ctx: AtprotoContext, state: string): Promise<Identity> {
  const request = await takeRequest(ctx, state);
  const { issuer } = request;
  const id = getClient(ctx);
  const params = validateResponse(ctx.url.searchParams, id, { issuer, state });
  const network = createNetwork(ctx);
  const server = await fetchServer(issuer, network);
  const tools = { id, server, secrets: request, send: network.foreign };
  const granted = await requestToken(tools, params, ctx.provider.callbackUrl);
  ctx.debug?.("the authorization server has signed an account in", { issuer });
  const account = await findAccount(ctx, granted, request, network);
  const profile = await fetchProfile(ctx, account, granted, network);
  const user = ctx.provider.profile(profile);
  return {
    user,
    account: { providerAccountId: account.did },
    profile: { ...profile },
    // The `profile` mapping may have chosen another address.
    emailVerified: user.email === profile.email && isEmailVerified(ctx, profile),
  };
}

/**
 * Completes a sign-in. The response must be from the server that was asked, and that server must be the account's.
 * @throws AccessDenied when the visitor refused; InvalidCheck; AtprotoCallbackError; AtprotoUnreachable.
 */
export async function finish(ctx: AtprotoContext, { value }: Attempt): Promise<Identity> {
  const { id } = ctx.provider;
  try {
    return await finishRequest(ctx, value);
  } catch (error) {
    if (error instanceof AuthorizationResponseError && error.error === "access_denied") {
      throw new AccessDenied(`"${id}": the visitor refused.`);
    }
    // What the visitor typed was valid, so the server's response is at fault.
    const reason = error instanceof AtprotoUnknownAccount ? new AuthError(error.message) : error;
    throw toAuthError(reason, id, AtprotoCallbackError);
  }
}
