import { AuthError } from "../../../src/errors.ts";
import type { Profile, TokenSet } from "../../../src/kernel.ts";
import { expectObject, readJson, valueAt } from "../_response-json.ts";
import { getEndpoint } from "./endpoint.ts";
import { loadOpenId } from "./load-openid.ts";
import { fillParams, fillUrl } from "./template.ts";
import type { Exchange } from "./types.ts";

const SUBJECT = "The userinfo response";

async function requestUserinfo(exchange: Exchange, tokens: TokenSet): Promise<Response> {
  const { ctx, server, values } = exchange;
  const endpoint = getEndpoint(ctx.provider, "userinfo");
  const { token = "Bearer", method = "GET", body } = endpoint;
  const url = fillUrl(server.userinfo_endpoint ?? "", values);
  const headers = new Headers({ accept: "application/json, application/jwt" });
  const accessToken = tokens.access_token ?? "";
  const [place, name] = token.split(":");
  const form = place === "form" ? new URLSearchParams() : undefined;
  for (const [key, value] of Object.entries(fillParams(endpoint.params, values))) {
    (form ?? url.searchParams).set(key, value);
  }
  if (name !== undefined) (form ?? url.searchParams).set(name, accessToken);
  else if (token !== "none") headers.set("authorization", `${token} ${accessToken}`);
  const isJson = method === "POST" && body !== undefined;
  if (isJson) headers.set("content-type", "application/json");
  for (const [key, value] of Object.entries(fillParams(endpoint.headers, values))) {
    headers.set(key, value);
  }
  if (form) return exchange.fetch(url, { method: "POST", headers, body: form });
  return exchange.fetch(url, {
    method,
    headers,
    ...(isJson && { body: JSON.stringify(body) }),
  });
}

async function readResponse(response: Response, exchange: Exchange): Promise<unknown> {
  // The JSON of an error response is not a profile.
  if (!response.ok) {
    throw new AuthError(`The userinfo endpoint responded with status ${response.status}.`);
  }
  const isSigned = /^application\/jwt\b/i.test(response.headers.get("content-type") ?? "");
  const expectsSigned = exchange.ctx.provider.client?.userinfo_signed_response_alg !== undefined;
  if (isSigned !== expectsSigned) {
    const [is, option] = isSigned ? ["signed", "not set"] : ["not signed", "set"];
    throw new AuthError(
      `${SUBJECT} is ${is}, although \`client.userinfo_signed_response_alg\` is ${option}.`,
    );
  }
  if (!isSigned) return readJson(response, SUBJECT);
  const { verifyUserinfo } = await loadOpenId(exchange.ctx.kernel);
  return verifyUserinfo(await response.text(), exchange);
}

// The user data of the token response, without anything that grants access.
function withoutTokens(tokens: TokenSet): Profile {
  const { access_token: _, refresh_token: __, id_token: ___, ...profile } = tokens;
  return profile as Profile;
}

async function readProfile(exchange: Exchange, tokens: TokenSet): Promise<unknown> {
  const { from, request } = getEndpoint(exchange.ctx.provider, "userinfo");
  if (request) {
    const provider = exchange.ctx.provider as Parameters<typeof request>[0]["provider"];
    return request({ tokens, provider, fetch: exchange.fetch });
  }
  if (from === "tokens") return withoutTokens(tokens);
  if (from === "access_token") {
    const { verifyUserinfo } = await loadOpenId(exchange.ctx.kernel);
    return verifyUserinfo(tokens.access_token ?? "", exchange);
  }
  return readResponse(await requestUserinfo(exchange, tokens), exchange);
}

/**
 * Fetches the profile from the userinfo endpoint, or by the provider's own `userinfo.request`.
 * @throws AuthError when the response is not a profile.
 */
export async function fetchUserinfo(exchange: Exchange, tokens: TokenSet): Promise<Profile> {
  const { request, root, errorMember } = getEndpoint(exchange.ctx.provider, "userinfo");
  const response = await readProfile(exchange, tokens);
  // The result of the provider's own function is already the profile.
  if (request) return expectObject(response, SUBJECT) as Profile;
  if (errorMember && valueAt(response, errorMember)) {
    throw new AuthError(`${SUBJECT} reports a failure in "${errorMember}".`);
  }
  const profile = root === undefined ? response : valueAt(response, root);
  return expectObject(profile, SUBJECT, root) as Profile;
}
