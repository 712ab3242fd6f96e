import { OAuthSignInError } from "../../../src/errors.ts";
import { getLinkFingerprint, isTrusted } from "../../../src/kernel.ts";
import { toAuthError } from "../_auth-error.ts";
import { beginAttempt } from "./attempt.ts";
import { buildAuthorizationUrl } from "./authorization-url.ts";
import { createSecrets, buildSentParams } from "./checks.ts";
import { isFormPost } from "./endpoint.ts";
import { findServer, isDiscovered } from "./servers.ts";
import type { OAuthContext } from "./types.ts";

const REQUIREMENTS = ["authorization_endpoint"] as const;

/**
 * Redirects the visitor to the identity provider, with the secrets of the attempt sealed into cookies.
 * @throws OAuthSignInError when the authorization URL is not available, for example because the metadata could not be
 * fetched.
 */
export async function start(ctx: OAuthContext): Promise<Response> {
  const { provider } = ctx;
  try {
    const server = await findServer(ctx, REQUIREMENTS);
    const hasMetadata = isDiscovered(provider, REQUIREMENTS);
    ctx.debug?.("the authorization endpoint is known", {
      from: hasMetadata ? "metadata" : "configuration",
    });
    const linkTo = await getLinkFingerprint(ctx);
    const secrets = await createSecrets(ctx, server, {
      isDiscovered: hasMetadata,
      isLinking: linkTo !== undefined,
    });
    const url = buildAuthorizationUrl(ctx, server, await buildSentParams(ctx, secrets));
    await beginAttempt(ctx, secrets, {
      crossSite: isFormPost(provider),
      callbackUrl: await ctx.callbackUrl(),
      linkTo,
      // Compared with the ID token later, since the visitor can change the URL.
      maxAge: (isTrusted(ctx) && ctx.url.searchParams.get("max_age")) || undefined,
    });
    ctx.debug?.("the attempt is sealed into cookies", {
      checks: Object.keys(secrets).join(" ") || "none",
      linking: linkTo !== undefined,
    });
    return ctx.redirect(url);
  } catch (error) {
    throw toAuthError(error, provider.id, OAuthSignInError);
  }
}
