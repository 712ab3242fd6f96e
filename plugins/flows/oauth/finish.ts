import {
  AuthError,
  CallbackRouteError,
  InvalidCheck,
  OAuthCallbackError,
  takeAttempt,
} from "../../../src/index.ts";
import type { Attempt, Identity, Profile, TokenSet } from "../../../src/index.ts";
import { checkAnswer, readAnswer, refusalOf } from "./answer.ts";
import { fetchFor } from "./ask.ts";
import { clientSecretOf } from "./client-auth.ts";
import { endpointOf, isFormPost, isOidc } from "./endpoint.ts";
import { enrich, withPosted } from "./enrich.ts";
import { faultOf } from "./fault.ts";
import { verifyIdToken } from "./id-token.ts";
import { identityOf } from "./identity.ts";
import type { Keys } from "./keys.ts";
import { requiredChecks } from "./protection.ts";
import { forward } from "./redirect-proxy.ts";
import type { Need, Servers } from "./server.ts";
import { redeem } from "./tokens.ts";
import type { AnyOAuthProvider, Exchange, OAuthContext } from "./types.ts";
import { askUserinfo } from "./userinfo.ts";

// An ID token is all there is to know, unless the provider says otherwise.
function asksUserinfo(provider: AnyOAuthProvider): boolean {
  return !isOidc(provider) || (provider as { idToken?: boolean }).idToken === false;
}

function needsOf(provider: AnyOAuthProvider): Need[] {
  const needs: Need[] = [];
  if (!endpointOf(provider, "token").request) needs.push("token_endpoint");
  if (asksUserinfo(provider) && !endpointOf(provider, "userinfo").request) {
    needs.push("userinfo_endpoint");
  }
  const isShared = provider.client?.id_token_signed_response_alg?.startsWith("HS");
  if (isOidc(provider) && !isShared) needs.push("jwks_uri");
  return needs;
}

async function open(
  ctx: OAuthContext,
  servers: Servers,
  answer: URLSearchParams,
  { values: secrets }: Attempt,
): Promise<Exchange> {
  const { provider } = ctx;
  const server = await servers.of(ctx, needsOf(provider));
  const clientSecret = await clientSecretOf(provider);
  return {
    ctx,
    server,
    answer,
    secrets,
    clientSecret,
    fetch: fetchFor(provider, ctx.signal),
    values: {
      clientId: provider.clientId,
      clientSecret,
      issuer: server.issuer,
      callback: Object.fromEntries(answer),
    },
  };
}

async function profileOf(exchange: Exchange, tokens: TokenSet, keys: Keys): Promise<Profile> {
  const { ctx, server } = exchange;
  const { provider } = ctx;
  const idToken = tokens.id_token;
  if (isOidc(provider) && idToken === undefined) throw new AuthError("The answer has no ID token.");
  // Where plain OAuth brings one, it can be verified only if issuer and keys are known.
  const isMeant =
    isOidc(provider) || (server.issuer !== undefined && server.jwks_uri !== undefined);
  const claims = idToken && isMeant ? await verifyIdToken(idToken, exchange, keys) : undefined;
  if (claims && !asksUserinfo(provider)) return claims;
  const profile = await askUserinfo(exchange, tokens, keys);
  // OpenID Connect Core, section 5.3.2: the token may have been swapped.
  if (isOidc(provider) && profile.sub !== claims?.sub) {
    throw new AuthError("The userinfo endpoint's answer is about another subject.");
  }
  return profile;
}

async function exchangeCode(
  exchange: Exchange,
  keys: Keys,
): Promise<{ tokens: TokenSet; profile: Profile }> {
  const params = await checkAnswer(exchange.ctx, exchange.server, exchange.answer);
  const tokens = await redeem(exchange, params);
  const { access_token: accessToken } = tokens;
  const filled = {
    ...exchange,
    values: { ...exchange.values, tokens, access_token: accessToken },
  };
  const profile = await profileOf(filled, tokens, keys);
  return { tokens, profile: await enrich(filled, tokens, withPosted(filled, profile)) };
}

/** Makes an identity of the provider's answer; each step fails closed. */
export async function finish(
  ctx: OAuthContext,
  servers: Servers,
  keys: Keys,
): Promise<Response | Identity> {
  const { provider } = ctx;
  const answer = await readAnswer(ctx);
  const elsewhere = await forward(ctx, answer);
  if (elsewhere) return elsewhere;

  const attempt = await takeAttempt(ctx, answer.get("state") || undefined, {
    crossSite: isFormPost(provider),
    required: requiredChecks(provider),
  });
  // A refusal is shown even to those whose cookies are gone; it opens nothing.
  if (attempt instanceof InvalidCheck) throw refusalOf(ctx, answer) ?? attempt;
  try {
    const exchange = await open(ctx, servers, answer, attempt).catch((error: unknown) => {
      throw refusalOf(ctx, answer) ?? error;
    });
    const { tokens, profile } = await exchangeCode(exchange, keys);
    return await identityOf(ctx, tokens, profile, attempt);
  } catch (error) {
    const fault = faultOf(error, provider.id, CallbackRouteError);
    // Perhaps its endpoints or keys have moved.
    if (!(fault instanceof OAuthCallbackError)) servers.forget(provider);
    throw fault;
  }
}
