import { raceSignal } from "../../../src/_kit.ts";
import {
  AuthError,
  CallbackRouteError,
  InvalidCheck,
  OAuthCallbackError,
} from "../../../src/errors.ts";
import type { Identity, Profile, TokenSet } from "../../../src/kernel.ts";
import { toAuthError } from "../_auth-error.ts";
import { takeAttempt, type OAuthAttempt } from "./attempt.ts";
import {
  validateAuthorizationResponse,
  readAuthorizationResponse,
  parseErrorResponse,
} from "./authorization-response.ts";
import { listRequiredChecks } from "./checks.ts";
import { getEndpoint, isFormPost, isOidc, isUserinfoRequested } from "./endpoint.ts";
import { enrich, withProfileParams } from "./enrich.ts";
import { createExchange } from "./exchange.ts";
import { buildIdentity } from "./identity.ts";
import { loadOpenId } from "./load-openid.ts";
import { deferLinking } from "./posted-response.ts";
import { forward } from "./redirect-proxy.ts";
import { findServer, forgetServer, type Requirement } from "./servers.ts";
import { redeem } from "./tokens.ts";
import type { AnyOAuthProvider, Exchange, OAuthContext } from "./types.ts";
import { fetchUserinfo } from "./userinfo.ts";

// The ID token contains the whole profile, unless the provider is configured otherwise.
function needsUserinfo(provider: AnyOAuthProvider): boolean {
  return !isOidc(provider) || (provider as { idToken?: boolean }).idToken === false;
}

function listRequirements(provider: AnyOAuthProvider): Requirement[] {
  const requirements: Requirement[] = [];
  if (!getEndpoint(provider, "token").request) requirements.push("token_endpoint");
  if (needsUserinfo(provider) && isUserinfoRequested(provider)) {
    requirements.push("userinfo_endpoint");
  }
  const isShared = provider.client?.id_token_signed_response_alg?.startsWith("HS");
  if (isOidc(provider) && !isShared) requirements.push("jwks_uri");
  return requirements;
}

async function openExchange(
  ctx: OAuthContext,
  callbackParams: URLSearchParams,
  { values: secrets, maxAge }: OAuthAttempt,
): Promise<Exchange> {
  const server = await findServer(ctx, listRequirements(ctx.provider));
  return createExchange(ctx, server, { callbackParams, secrets, maxAge });
}

async function fetchProfile(exchange: Exchange, tokens: TokenSet): Promise<Profile> {
  const { ctx, server } = exchange;
  const { provider } = ctx;
  const idToken = tokens.id_token;
  if (isOidc(provider) && idToken === undefined)
    throw new AuthError("The token response has no ID token.");
  // For plain OAuth, an ID token can be verified only if issuer and keys are known.
  const isVerifiable =
    isOidc(provider) || (server.issuer !== undefined && server.jwks_uri !== undefined);
  const claims =
    idToken && isVerifiable
      ? await (await loadOpenId(ctx.kernel)).verifyIdToken(idToken, exchange, tokens.access_token)
      : undefined;
  if (claims) ctx.debug?.("the ID token is valid");
  if (claims && !needsUserinfo(provider)) return claims;
  const profile = await fetchUserinfo(exchange, tokens);
  ctx.debug?.("the profile is fetched");
  // OpenID Connect Core, section 5.3.2: the access token may have been substituted.
  if (isOidc(provider) && profile.sub !== claims?.sub) {
    throw new AuthError("The userinfo response is about another subject than the ID token.");
  }
  return profile;
}

async function exchangeCode(exchange: Exchange): Promise<{ tokens: TokenSet; profile: Profile }> {
  const params = validateAuthorizationResponse(
    exchange.ctx,
    exchange.server,
    exchange.callbackParams,
  );
  exchange.ctx.debug?.("the authorization response is valid");
  const tokens = await redeem(exchange, params);
  exchange.ctx.debug?.("the code is exchanged", { received: Object.keys(tokens).join(" ") });
  const { access_token: accessToken } = tokens;
  const filled = {
    ...exchange,
    values: { ...exchange.values, tokens, access_token: accessToken },
  };
  const profile = await fetchProfile(filled, tokens);
  return { tokens, profile: await enrich(filled, tokens, withProfileParams(filled, profile)) };
}

async function identify(
  ctx: OAuthContext,
  callbackParams: URLSearchParams,
  attempt: OAuthAttempt,
): Promise<Identity> {
  const exchange = await openExchange(ctx, callbackParams, attempt).catch((error: unknown) => {
    throw parseErrorResponse(ctx, callbackParams) ?? error;
  });
  const { tokens, profile } = await exchangeCode(exchange);
  return buildIdentity(ctx, tokens, profile, attempt);
}

/**
 * Returns the identity that the authorization response establishes. On a redirect proxy, returns the redirect to the
 * deployment that started the attempt. May also return the redirect of `deferLinking`. Each step fails closed.
 * @throws AuthError
 */
export async function finish(ctx: OAuthContext): Promise<Response | Identity> {
  const { provider } = ctx;
  const callbackParams = await readAuthorizationResponse(ctx);
  ctx.debug?.("the authorization response arrives", {
    parameters: [...new Set(callbackParams.keys())].join(" "),
  });
  const forwarded = await forward(ctx, callbackParams);
  if (forwarded) return forwarded;
  const deferred = await deferLinking(ctx, callbackParams);
  if (deferred) return deferred;

  const attempt = await takeAttempt(ctx, callbackParams.get("state") || undefined, {
    crossSite: isFormPost(provider),
    required: listRequiredChecks(provider),
  });
  // An error response is reported even if the attempt's cookies are gone, because it grants nothing.
  ctx.debug?.(
    "the attempt of this browser",
    attempt instanceof InvalidCheck
      ? { accepted: false, why: attempt.message }
      : { accepted: true, checks: Object.keys(attempt.values).join(" ") || "none" },
  );
  if (attempt instanceof InvalidCheck) throw parseErrorResponse(ctx, callbackParams) ?? attempt;
  try {
    // The limit includes the time of the application's own functions.
    return await raceSignal(identify(ctx, callbackParams, attempt), ctx.signal);
  } catch (error) {
    const failure = toAuthError(error, provider.id, CallbackRouteError);
    // The provider's endpoints or keys may have changed.
    if (!(failure instanceof OAuthCallbackError)) await forgetServer(ctx.kernel, provider);
    throw failure;
  }
}
