import { getClientSecret } from "./client-auth.ts";
import { fetchFor } from "./fetch.ts";
import type { Exchange, OAuthContext, Server } from "./types.ts";

/** Creates the state of requests to a provider. Requests after the sign-in have no attempt and no callback parameters. */
export async function createExchange(
  ctx: OAuthContext,
  server: Server,
  {
    callbackParams = new URLSearchParams(),
    secrets = {},
    maxAge,
  }: Partial<Pick<Exchange, "callbackParams" | "secrets" | "maxAge">> = {},
): Promise<Exchange> {
  const { provider } = ctx;
  const clientSecret = await getClientSecret(provider);
  return {
    ctx,
    server,
    callbackParams,
    secrets,
    maxAge,
    clientSecret,
    fetch: fetchFor(provider, ctx.signal),
    values: {
      clientId: provider.clientId,
      clientSecret,
      issuer: server.issuer,
      callback: Object.fromEntries(callbackParams),
    },
  };
}
