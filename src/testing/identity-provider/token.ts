import { sha256Base64url } from "../../crypto/crypto.ts";
import { type Grant, nowInSeconds, TOKEN_LIFETIME_S, type Grants } from "./grants.ts";
import type { Signer } from "./signer.ts";
import type { IdentityProvider, Json, ReceivedRequest } from "./types.ts";

/** An identity provider with its private parts. */
export interface Server {
  readonly idp: IdentityProvider;
  readonly grants: Grants;
  readonly signer: Signer;
  readonly resources: Readonly<Record<string, unknown>>;
}

/** An error response of an endpoint (RFC 6749 section 5.2). */
export class Refusal extends Error {
  readonly error: string;
  readonly status: number;

  constructor(error: string, description: string, status = 400) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

// RFC 6749 section 2.3.1: both parts are form-encoded before they are joined.
function parseBasic(header: string): [id: string | null, secret: string | null] {
  const [, encoded = ""] = /^basic (\S+)$/i.exec(header) ?? [];
  const [id = "", ...secret] = atob(encoded).split(":");
  const decode = (text: string) => new URLSearchParams(`x=${text}`).get("x");
  return [decode(id), decode(secret.join(":"))];
}

function authenticateClient(
  { client }: IdentityProvider,
  { headers, body }: ReceivedRequest,
): void {
  if (client.clientSecret === "") return;
  const authorization = headers.get("authorization");
  const [id, secret] =
    authorization === null
      ? [body.get("client_id"), body.get("client_secret")]
      : parseBasic(authorization);
  if (id === client.clientId && secret === client.clientSecret) return;
  const reason = id === client.clientId ? "The client secret is wrong." : `No client is "${id}".`;
  throw new Refusal("invalid_client", reason, 401);
}

async function checkVerifier(asked: URLSearchParams, verifier: string | null): Promise<void> {
  const challenge = asked.get("code_challenge");
  if (challenge === null && verifier === null) return;
  // RFC 7636 section 4.3: `plain` is the default.
  const isHashed = asked.get("code_challenge_method") === "S256";
  const given = isHashed ? await sha256Base64url(verifier ?? "") : verifier;
  if (given !== challenge) {
    throw new Refusal("invalid_grant", "The code_verifier does not match the code_challenge.");
  }
}

async function redeemCode(grants: Grants, body: URLSearchParams): Promise<Grant> {
  const grant = grants.takeCode(body.get("code") ?? "");
  if (!grant)
    throw new Refusal("invalid_grant", "The code is unknown, expired or was used before.");
  if (body.get("redirect_uri") !== grant.asked.get("redirect_uri")) {
    throw new Refusal("invalid_grant", "The redirect_uri differs from the authorization request.");
  }
  await checkVerifier(grant.asked, body.get("code_verifier"));
  return grant;
}

function refresh(grants: Grants, body: URLSearchParams): Grant {
  const grant = grants.takeRefreshToken(body.get("refresh_token") ?? "");
  if (grant) return grant;
  throw new Refusal("invalid_grant", "The refresh token is unknown or was used before.");
}

async function buildIdToken(
  { idp, signer }: Server,
  { user, authTime }: Grant,
  nonce: string | null,
): Promise<string> {
  const iat = nowInSeconds();
  const claims: Json = {
    ...user,
    iss: idp.issuer,
    aud: idp.client.clientId,
    iat,
    exp: iat + TOKEN_LIFETIME_S,
    auth_time: authTime,
    ...(nonce !== null && { nonce }),
  };
  const changed = (await idp.tamper.idToken?.(claims)) ?? claims;
  return typeof changed === "string" ? changed : signer.sign(changed);
}

/**
 * Returns the response of the token endpoint, and the grant of its tokens.
 * @throws Refusal
 */
export async function exchange(
  server: Server,
  request: ReceivedRequest,
): Promise<{ response: Json; grant: Grant }> {
  const { idp, grants } = server;
  const { method, body } = request;
  if (method !== "POST") throw new Refusal("invalid_request", `The method is ${method}.`, 405);
  authenticateClient(idp, request);
  const type = body.get("grant_type");
  const isRefresh = type === "refresh_token";
  if (!isRefresh && type !== "authorization_code") {
    throw new Refusal("unsupported_grant_type", `The grant_type is ${type}.`);
  }
  const grant = isRefresh ? refresh(grants, body) : await redeemCode(grants, body);
  const { asked } = grant;
  const scope = asked.get("scope");
  const isOpenId = scope?.split(" ").includes("openid") ?? false;
  // OpenID Connect Core, section 12.2: a refreshed ID token should not contain a nonce.
  const nonce = isRefresh ? null : asked.get("nonce");
  const response: Json = {
    ...grants.newTokens(),
    token_type: "Bearer",
    expires_in: TOKEN_LIFETIME_S,
    ...(scope !== null && { scope }),
    ...(isOpenId && { id_token: await buildIdToken(server, grant, nonce) }),
  };
  return { response, grant };
}
