import { randomBase64url } from "../../../src/_kit.ts";
import type { Attempt } from "../../../src/kernel.ts";
import { toAuthError } from "../_auth-error.ts";
import { findByDid, findByHandle } from "./account.ts";
import { getClient } from "./client.ts";
import { AtprotoCallbackError, AtprotoUnknownAccount } from "./errors.ts";
import { type Identifier, parseIdentifier } from "./identifier.ts";
import { createNetwork, type Network } from "./network.ts";
import { createKey, pushRequest } from "./oauth.ts";
import { keepRequest } from "./request.ts";
import { fetchServer, findAccountIssuer, findTypedIssuer } from "./server.ts";
import type { Account, AtprotoContext } from "./types.ts";

/** The server at which a visitor signs in. */
interface Destination {
  readonly issuer: string;
  readonly account?: Account;
  /** What the visitor typed, to prefill the server's form. */
  readonly hint?: string;
}

async function readIdentifier(ctx: AtprotoContext): Promise<Identifier> {
  const { handle: typed = "" } = await ctx.body();
  const { server } = ctx.provider;
  if (typed === "" && server !== undefined) return { server };
  const identifier = parseIdentifier(typed);
  if (identifier) return identifier;
  throw new AtprotoUnknownAccount("The input is not a handle, a DID or a server.");
}

async function findDestination(
  ctx: AtprotoContext,
  identifier: Identifier,
  network: Network,
): Promise<Destination> {
  if ("server" in identifier) return { issuer: await findTypedIssuer(identifier.server, network) };
  const account =
    "did" in identifier
      ? await findByDid(ctx, identifier.did, network)
      : await findByHandle(ctx, identifier.handle, network);
  const hint = "did" in identifier ? identifier.did : identifier.handle;
  return { issuer: await findAccountIssuer(account.pds, network), account, hint };
}

async function startRequest(ctx: AtprotoContext, attempt: string): Promise<Response> {
  const { provider } = ctx;
  const id = getClient(ctx);
  const network = createNetwork(ctx);
  const destination = await findDestination(ctx, await readIdentifier(ctx), network);
  const { issuer, account, hint } = destination;
  const server = await fetchServer(issuer, network);
  ctx.debug?.("the authorization server is known", { issuer, named: account !== undefined });
  const secrets = { key: await createKey(), verifier: randomBase64url(32) };
  const url = await pushRequest(
    { id, server, secrets, send: network.foreign },
    {
      redirect_uri: provider.callbackUrl,
      scope: provider.scope,
      state: attempt,
      ...(hint !== undefined && { login_hint: hint }),
    },
  );
  await keepRequest(ctx, attempt, { ...secrets, issuer, ...(account && { account }) });
  return ctx.redirect(url);
}

/**
 * Redirects to the authorization server of the account, or to the server, that the visitor named.
 * @throws AtprotoUnknownAccount; AtprotoUnreachable; AtprotoCallbackError for a server that does not implement the
 * protocol or refuses the request; InvalidConfig for an origin that servers cannot reach.
 */
export async function start(ctx: AtprotoContext, { value }: Attempt): Promise<Response> {
  try {
    return await startRequest(ctx, value);
  } catch (error) {
    throw toAuthError(error, ctx.provider.id, AtprotoCallbackError);
  }
}
