import type { JWTPayload } from "jose";
import { AuthError } from "../../../src/index.ts";
import type { Profile, TokenSet } from "../../../src/index.ts";
import { readJson } from "./answer-json.ts";
import { endpointOf } from "./endpoint.ts";
import { fillParams, fillUrl } from "./fill.ts";
import { algorithmsOf, verifySigned } from "./id-token.ts";
import type { Keys } from "./keys.ts";
import type { Exchange } from "./types.ts";

const WHAT = "The userinfo endpoint's answer";

async function ask(exchange: Exchange, tokens: TokenSet): Promise<Response> {
  const { ctx, server, values } = exchange;
  const endpoint = endpointOf(ctx.provider, "userinfo");
  const { token = "Bearer", method = "GET", body } = endpoint;
  const url = fillUrl(server.userinfo_endpoint ?? "", values);
  for (const [name, value] of Object.entries(fillParams(endpoint.params, values))) {
    url.searchParams.set(name, value);
  }
  const headers = new Headers({ accept: "application/json, application/jwt" });
  const accessToken = tokens.access_token ?? "";
  if (token.startsWith("query:")) url.searchParams.set(token.slice(6), accessToken);
  else if (token !== "none") headers.set("authorization", `${token} ${accessToken}`);
  if (method === "POST" && body) headers.set("content-type", "application/json");
  for (const [name, value] of Object.entries(fillParams(endpoint.headers, values))) {
    headers.set(name, value);
  }
  return exchange.fetch(url, {
    method,
    headers,
    ...(method === "POST" && body && { body: JSON.stringify(body) }),
  });
}

async function readSigned(response: Response, exchange: Exchange, keys: Keys): Promise<JWTPayload> {
  const { ctx, server } = exchange;
  const { clientId = "", client } = ctx.provider;
  const claims = await verifySigned(await response.text(), exchange, keys, {
    algorithms: algorithmsOf(client?.userinfo_signed_response_alg, undefined),
    clockTolerance: 60,
  });
  // OpenID Connect Core, section 5.3.2: both should be there; what is there must be right.
  const audience = [claims.aud ?? clientId].flat();
  if (!audience.includes(clientId) || (claims.iss ?? server.issuer) !== server.issuer) {
    throw new AuthError(`${WHAT} was signed for another client, or by another issuer.`);
  }
  return claims;
}

async function read(response: Response, exchange: Exchange, keys: Keys): Promise<unknown> {
  // An error in JSON is no profile.
  if (!response.ok) {
    throw new AuthError(`The userinfo endpoint refused with status ${response.status}.`);
  }
  const isSigned = /^application\/jwt\b/i.test(response.headers.get("content-type") ?? "");
  const expectsSigned = exchange.ctx.provider.client?.userinfo_signed_response_alg !== undefined;
  if (isSigned !== expectsSigned) {
    throw new AuthError(`${WHAT} is ${isSigned ? "" : "not "}signed, against the registration.`);
  }
  return isSigned ? readSigned(response, exchange, keys) : readJson(response, WHAT);
}

/** Asks the userinfo endpoint, or whatever the provider has in its place, for the profile. */
export async function askUserinfo(
  exchange: Exchange,
  tokens: TokenSet,
  keys: Keys,
): Promise<Profile> {
  const { ctx, fetch } = exchange;
  const { request, root, errorMember } = endpointOf(ctx.provider, "userinfo");
  let value: unknown;
  if (request) {
    const provider = ctx.provider as Parameters<typeof request>[0]["provider"];
    value = await request({ tokens, provider, fetch });
  } else {
    value = await read(await ask(exchange, tokens), exchange, keys);
    const failure = errorMember && (value as Record<string, unknown> | null)?.[errorMember];
    if (failure) throw new AuthError(`${WHAT} is a failure, whatever its status says.`);
    for (const name of root?.split(".") ?? []) {
      value =
        Object(value) === value && Object.hasOwn(value as object, name)
          ? (value as Record<string, unknown>)[name]
          : undefined;
    }
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AuthError(`${WHAT} has no profile${root ? ` at "${root}"` : ""}.`);
  }
  return value as Profile;
}
