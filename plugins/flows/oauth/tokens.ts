import { redact } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import type { TokenSet } from "../../../src/kernel.ts";
import { expectObject, readObject, valueAt } from "../_response-json.ts";
import { getClientAuth } from "./client-auth.ts";
import { getEndpoint, isOidc } from "./endpoint.ts";
import { getRedirectUri } from "./redirect-proxy.ts";
import { fillParams, fillUrl } from "./template.ts";
import type { Exchange } from "./types.ts";

const SUBJECT = "The response of the token endpoint";
const FIX = " Convert it in `token.conform`.";

/** Posts a body to an endpoint at which the client authenticates. `headers` are from the provider's configuration. */
export async function postAsClient(
  exchange: Exchange,
  url: string,
  body: URLSearchParams,
): Promise<Response> {
  const { server, values } = exchange;
  const { provider } = exchange.ctx;
  const { headers: given, assertionAudience } = getEndpoint(provider, "token");
  const headers = new Headers(fillParams(given, values));
  headers.set("accept", "application/json");
  if (!headers.has("content-type"))
    headers.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
  const authenticate = await getClientAuth(exchange);
  // RFC 7523: the audience of an assertion is the issuer, so that no other server accepts it. If the issuer is unknown,
  // it is the token endpoint.
  const audience = assertionAudience ?? (server.issuer || (server.token_endpoint ?? url));
  await authenticate({ issuer: audience }, { client_id: provider.clientId ?? "" }, body, headers);
  return exchange.fetch(url, { method: "POST", headers: Object.fromEntries(headers), body });
}

async function requestTokens(exchange: Exchange, params: URLSearchParams): Promise<Response> {
  const { ctx, server, values, secrets } = exchange;
  const token = getEndpoint(ctx.provider, "token");
  const code = params.get("code");
  if (!code) throw new AuthError("The authorization response has no code.");
  const forwarded = (token.forward ?? []).flatMap((name) => {
    const value = exchange.callbackParams.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const url = fillUrl(server.token_endpoint ?? "", values).href;
  // RFC 6749 section 4.1.3, RFC 7636 section 4.5. The configuration cannot replace these parameters.
  const body = new URLSearchParams({
    ...Object.fromEntries(forwarded),
    ...fillParams(token.params, values),
    grant_type: "authorization_code",
    code,
    redirect_uri: getRedirectUri(ctx),
    ...(secrets.pkceCodeVerifier !== undefined && { code_verifier: secrets.pkceCodeVerifier }),
  });
  return postAsClient(exchange, url, body);
}

// The server may quote what it received. The log must not contain what the request sent.
function withoutSent(text: string, { callbackParams, clientSecret, secrets }: Exchange): string {
  return redact(text, [callbackParams.get("code"), clientSecret, secrets.pkceCodeVerifier]);
}

function parseTokenError(
  body: Record<string, unknown>,
  status: number,
  exchange: Exchange,
): AuthError | undefined {
  const { errorMember } = getEndpoint(exchange.ctx.provider, "token");
  const error = body.error || (errorMember !== undefined && body[errorMember]);
  if (!error && status >= 200 && status < 300) return undefined;
  const { code = error } = typeof error === "object" ? (error as { code?: unknown }) : {};
  const description = body.error_description ?? body.errmsg;
  const facts = [code, description].filter((fact) => ["string", "number"].includes(typeof fact));
  const text = withoutSent(facts.join(": "), exchange).replace(/\.$/, "");
  const reason = text || "no reason given";
  return new AuthError(`The token endpoint responded with an error (status ${status}): ${reason}.`);
}

async function readResponse(
  response: Response,
  exchange: Exchange,
): Promise<Record<string, unknown>> {
  const { root, transform } = getEndpoint(exchange.ctx.provider, "token");
  const { status } = response;
  const body = await readObject(response, SUBJECT, FIX);
  const failure = parseTokenError(body, status, exchange);
  if (failure) throw failure;
  const tokens = root === undefined ? body : expectObject(valueAt(body, root), SUBJECT, root);
  return transform?.(tokens) ?? tokens;
}

const isFilled = (value: unknown): boolean => typeof value === "string" && value !== "";

// The types that RFC 6749 section 5.1 requires of members that are present.
const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  access_token: isFilled,
  // RFC 6750 or RFC 9449. A token of another type must not be presented as one of these.
  token_type: (value) => typeof value === "string" && /^(?:bearer|dpop)$/i.test(value),
  expires_in: (value) => Number.isFinite(value) && (value as number) >= 0,
  refresh_token: isFilled,
  scope: (value) => typeof value === "string",
};

// The ID token is verified later with its signature, and only if it is expected.
function parseTokens(body: Record<string, unknown>, { ctx }: Exchange): TokenSet {
  // Servers send `null`, or an empty refresh token, for what they did not issue. A refresh must not fail because of
  // that: the refresh token that was sent may already be used up.
  const { id_token: idToken, ...rest } = Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => value !== null && (value !== "" || name !== "refresh_token"),
    ),
  );
  const tokens = {
    // RFC 6749 requires the member, but several providers of plain OAuth leave it out.
    ...(!isOidc(ctx.provider) && { token_type: "bearer" }),
    ...rest,
    // Some servers send the number as text.
    ...(rest.expires_in !== undefined && {
      expires_in: Number.parseFloat(`${rest.expires_in as string}`),
    }),
    ...(isFilled(idToken) && { id_token: idToken }),
  } as TokenSet;
  for (const [name, isValid] of Object.entries(MEMBERS)) {
    const isRequired = name === "access_token" || name === "token_type";
    if (!isValid(tokens[name]) && (isRequired || tokens[name] !== undefined)) {
      throw new AuthError(`${SUBJECT} has no usable "${name}".`);
    }
  }
  return tokens;
}

// Writes `token_type` in lower case and sets `expires_at` in seconds, from `expires_in` or else as the server reports
// it. A lifetime of 0 means a token without an end (VK), as in Auth.js. A token that has really expired is refused when
// it is used.
function normalize({ token_type: type, expires_at: reported, ...rest }: TokenSet): TokenSet {
  const lifetime = Number(rest.expires_in);
  const calculated = Math.floor(Date.now() / 1000) + Math.floor(lifetime);
  const end = lifetime > 0 ? calculated : reported;
  return {
    ...rest,
    ...(typeof type === "string" && { token_type: type.toLowerCase() as Lowercase<string> }),
    ...(Number.isSafeInteger(end) && { expires_at: end as number }),
  };
}

/** Exchanges the authorization code for tokens at the token endpoint. */
export async function redeem(exchange: Exchange, params: URLSearchParams): Promise<TokenSet> {
  const { ctx, secrets, fetch } = exchange;
  const { request } = getEndpoint(ctx.provider, "token");
  if (!request) return readTokens(await requestTokens(exchange, params), exchange);
  const verifier = secrets.pkceCodeVerifier;
  const result = await request({
    provider: ctx.provider as Parameters<typeof request>[0]["provider"],
    params: Object.fromEntries(params),
    checks: verifier === undefined ? {} : { code_verifier: verifier },
    redirectUri: getRedirectUri(ctx),
    fetch,
  });
  const { tokens } = (result ?? {}) as Partial<typeof result>;
  if (isFilled(tokens?.access_token)) return normalize({ ...tokens });
  throw new AuthError(
    "`token.request` returned no `tokens` with an `access_token`. Throw what the service reports as an error.",
  );
}

/** Reads a response of the token endpoint. */
export async function readTokens(response: Response, exchange: Exchange): Promise<TokenSet> {
  const { conform } = getEndpoint(exchange.ctx.provider, "token");
  const conformed = (await conform?.(response.clone())) ?? response;
  return normalize(parseTokens(await readResponse(conformed, exchange), exchange));
}
