import { AuthError } from "../../../src/index.ts";
import type { TokenSet } from "../../../src/index.ts";
import { readObject } from "./answer-json.ts";
import { clientAuthOf, serverMetadata } from "./client-auth.ts";
import { endpointOf, isOidc } from "./endpoint.ts";
import { fillParams, fillUrl } from "./fill.ts";
import { redirectUriOf } from "./redirect-proxy.ts";
import type { Exchange } from "./types.ts";

const WHAT = "The token endpoint's answer";

async function ask(exchange: Exchange, params: URLSearchParams): Promise<Response> {
  const oauth = await import("./oauth4webapi.ts");
  const { ctx, server, values, secrets } = exchange;
  const token = endpointOf(ctx.provider, "token");
  const forwarded = (token.forward ?? []).flatMap((name) => {
    const value = exchange.answer.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const url = fillUrl(server.token_endpoint ?? "", values);
  return oauth.authorizationCodeGrantRequest(
    { ...serverMetadata(server), token_endpoint: url.href },
    { client_id: ctx.provider.clientId ?? "" },
    await clientAuthOf(exchange),
    params,
    redirectUriOf(ctx),
    secrets.pkceCodeVerifier ?? oauth.nopkce,
    {
      additionalParameters: {
        ...Object.fromEntries(forwarded),
        ...fillParams(token.params, values),
      },
      headers: fillParams(token.headers, values),
      [oauth.customFetch]: exchange.fetch,
      // Our fetch has a rule of its own: http on this machine only.
      [oauth.allowInsecureRequests]: true,
    },
  );
}

// Whatever the server quotes, the log shall not show what we sent.
function redact(text: string, { answer, clientSecret, secrets }: Exchange): string {
  let plain = text;
  for (const secret of [answer.get("code"), clientSecret, secrets.pkceCodeVerifier]) {
    if (secret) plain = plain.replaceAll(secret, "...");
  }
  return plain.replace(/[^\s@]+@[^\s@]+/g, "...").slice(0, 300);
}

function failureOf(
  body: Record<string, unknown>,
  status: number,
  exchange: Exchange,
): AuthError | undefined {
  const { errorMember } = endpointOf(exchange.ctx.provider, "token");
  const error = body.error || (errorMember !== undefined && body[errorMember]);
  if (!error && status >= 200 && status < 300) return undefined;
  const { code = error } = typeof error === "object" ? (error as { code?: unknown }) : {};
  const description = body.error_description ?? body.errmsg;
  const facts = [code, description].filter((fact) => ["string", "number"].includes(typeof fact));
  const said = redact(facts.join(": "), exchange) || "no reason";
  return new AuthError(`The token endpoint refused with status ${status}: ${said}.`);
}

async function read(response: Response, exchange: Exchange): Promise<Record<string, unknown>> {
  const { transform } = endpointOf(exchange.ctx.provider, "token");
  const { status } = response;
  const body = await readObject(response, WHAT);
  const failure = failureOf(body, status, exchange);
  if (failure) throw failure;
  return transform?.(body) ?? body;
}

// The ID token goes its own way: with its signature, and only where it means something.
async function parse(body: Record<string, unknown>, exchange: Exchange): Promise<TokenSet> {
  const oauth = await import("./oauth4webapi.ts");
  const { server, ctx } = exchange;
  const { id_token: idToken, ...rest } = body;
  // Required by RFC 6749; left out by several providers of plain OAuth.
  const mended = isOidc(ctx.provider) ? rest : { token_type: "bearer", ...rest };
  const tokens: TokenSet = (await oauth.processAuthorizationCodeResponse(
    serverMetadata(server),
    { client_id: ctx.provider.clientId ?? "" },
    Response.json(mended),
  )) as TokenSet;
  return typeof idToken === "string" && idToken !== "" ? { ...tokens, id_token: idToken } : tokens;
}

// The type in lower case, and the end in seconds: what we calculate, or what some servers say.
function normal({ token_type: type, expires_at: said, ...rest }: TokenSet): TokenSet {
  const lifetime = Number(rest.expires_in);
  const calculated = Math.floor(Date.now() / 1000) + Math.floor(lifetime);
  const end = lifetime > 0 ? calculated : said;
  return {
    ...rest,
    ...(typeof type === "string" && { token_type: type.toLowerCase() as Lowercase<string> }),
    ...(Number.isSafeInteger(end) && { expires_at: end as number }),
  };
}

/** Redeems the code at the token endpoint. */
export async function redeem(exchange: Exchange, params: URLSearchParams): Promise<TokenSet> {
  const { ctx, secrets, fetch } = exchange;
  const { request, conform } = endpointOf(ctx.provider, "token");
  let tokens: TokenSet;
  if (request) {
    const verifier = secrets.pkceCodeVerifier;
    const answer = await request({
      provider: ctx.provider as Parameters<typeof request>[0]["provider"],
      params: Object.fromEntries(params),
      checks: verifier === undefined ? {} : { code_verifier: verifier },
      redirectUri: redirectUriOf(ctx),
      fetch,
    });
    tokens = { ...answer.tokens };
  } else {
    const response = await ask(exchange, params);
    const conformed = (await conform?.(response.clone())) ?? response;
    tokens = await parse(await read(conformed, exchange), exchange);
  }
  return normal(tokens);
}
