import { beginAttempt, linkTarget, OAuthSignInError } from "../../../src/index.ts";
import { authorizationUrl } from "./authorization-url.ts";
import { isFormPost } from "./endpoint.ts";
import { faultOf } from "./fault.ts";
import { newSecrets, sentParams } from "./protection.ts";
import type { Servers } from "./server.ts";
import type { OAuthContext } from "./types.ts";

const NEEDS = ["authorization_endpoint"] as const;

/**
 * Sends the visitor to the provider, with the secrets of the attempt sealed into cookies.
 * @throws OAuthSignInError when the provider cannot be asked where to.
 */
export async function start(ctx: OAuthContext, servers: Servers): Promise<Response> {
  const { provider } = ctx;
  try {
    const server = await servers.of(ctx, NEEDS);
    const secrets = await newSecrets(ctx, server, servers.isDiscovered(provider, NEEDS));
    const url = authorizationUrl(ctx, server, await sentParams(ctx, secrets));
    await beginAttempt(ctx, secrets, {
      crossSite: isFormPost(provider),
      callbackUrl: await ctx.callbackUrl(),
      linkTo: await linkTarget(ctx),
    });
    return ctx.redirect(url);
  } catch (error) {
    throw faultOf(error, provider.id, OAuthSignInError);
  }
}
