import { AuthError } from "../../../src/errors.ts";
import type { Profile, TokenSet } from "../../../src/kernel.ts";
import { getEndpoint } from "./endpoint.ts";
import { readJson } from "./response-json.ts";
import { fillParams, fillUrl } from "./template.ts";
import type { Exchange, LoadOpenId } from "./types.ts";

const SUBJECT = "The userinfo response";

async function requestUserinfo(exchange: Exchange, tokens: TokenSet): Promise<Response> {
  const { ctx, server, values } = exchange;
  const endpoint = getEndpoint(ctx.provider, "userinfo");
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

async function readResponse(
  response: Response,
  exchange: Exchange,
  openid: LoadOpenId,
): Promise<unknown> {
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
  const { verifyUserinfo } = await openid();
  return verifyUserinfo(await response.text(), exchange);
}

/**
 * Fetches the profile from the userinfo endpoint, or by the provider's own `userinfo.request`.
 * @throws AuthError when the response is not a profile.
 */
export async function fetchUserinfo(
  exchange: Exchange,
  tokens: TokenSet,
  openid: LoadOpenId,
): Promise<Profile> {
  const { ctx, fetch } = exchange;
  const { request, root, errorMember } = getEndpoint(ctx.provider, "userinfo");
  let value: unknown;
  if (request) {
    const provider = ctx.provider as Parameters<typeof request>[0]["provider"];
    value = await request({ tokens, provider, fetch });
  } else {
    value = await readResponse(await requestUserinfo(exchange, tokens), exchange, openid);
    const failure = errorMember && (value as Record<string, unknown> | null)?.[errorMember];
    if (failure) throw new AuthError(`${SUBJECT} reports a failure in "${errorMember}".`);
    for (const name of root?.split(".") ?? []) {
      value =
        Object(value) === value && Object.hasOwn(value as object, name)
          ? (value as Record<string, unknown>)[name]
          : undefined;
    }
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AuthError(`${SUBJECT} has no profile${root ? ` at "${root}"` : ""}.`);
  }
  return value as Profile;
}
