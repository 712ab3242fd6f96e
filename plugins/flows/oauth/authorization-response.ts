import { BadRequest, InvalidCheck, OAuthCallbackError } from "../../../src/errors.ts";
import { isFormPost } from "./endpoint.ts";
import { takePostedResponse } from "./posted-response.ts";
import { getRedirectUri } from "./redirect-proxy.ts";
import type { OAuthContext, Server } from "./types.ts";

// RFC 6749 section 3.1 forbids repeated parameters. Two parsers could disagree on which one counts.
const ONCE = ["code", "error", "id_token", "iss", "response", "state"];

/**
 * Returns the parameters of the authorization response: the query, or the posted form if `form_post` was requested.
 * After `deferLinking`, they are from the form that was kept.
 * @throws BadRequest for a POST that was not requested, or for a repeated parameter.
 */
export async function readAuthorizationResponse(ctx: OAuthContext): Promise<URLSearchParams> {
  let params = ctx.url.searchParams;
  if (ctx.request.method === "POST") {
    if (!isFormPost(ctx.provider)) {
      throw new BadRequest(
        `The callback of "${ctx.provider.id}" was posted, but its \`response_mode\` is not form_post.`,
      );
    }
    const fields = Object.entries(await ctx.body());
    params = new URLSearchParams(
      fields.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    );
  } else if (isFormPost(ctx.provider)) {
    params = (await takePostedResponse(ctx)) ?? params;
  }
  const repeated = ONCE.find((name) => params.getAll(name).length > 1);
  if (repeated !== undefined)
    throw new BadRequest(`The callback has the parameter "${repeated}" more than once.`);
  return params;
}

function excerpt(text: string | null): string | undefined {
  return text === null ? undefined : text.slice(0, 200);
}

/**
 * Returns the provider's error response as an error, such as when a user did not consent. Returns `undefined` if the
 * response is not an error.
 */
export function parseErrorResponse(
  ctx: OAuthContext,
  params: URLSearchParams,
): OAuthCallbackError | undefined {
  const error = excerpt(params.get("error"));
  if (!error) return undefined;
  const { id } = ctx.provider;
  return new OAuthCallbackError(`"${id}" returned an error response.`, {
    cause: {
      provider: id,
      error,
      error_description: excerpt(params.get("error_description")),
      // For `redirect_uri_mismatch`: the URI that must be registered.
      redirect_uri: getRedirectUri(ctx),
    },
  });
}

/**
 * Validates that the authorization response is from this server (RFC 9207) and contains an authorization code. Returns
 * the parameters in the form that the token request accepts.
 * @throws InvalidCheck for an invalid response; OAuthCallbackError for an error response.
 */
export function validateAuthorizationResponse(
  ctx: OAuthContext,
  server: Server,
  params: URLSearchParams,
): URLSearchParams {
  const { provider } = ctx;
  const given = new URLSearchParams(params);
  const isIssuerInIdToken =
    "issuerFromIdToken" in provider && provider.issuerFromIdToken !== undefined;
  // The issuer is unknown, or becomes known only when the ID token is verified.
  if (!server.issuer || isIssuerInIdToken) given.delete("iss");
  const isAnnounced =
    server.authorization_response_iss_parameter_supported === true && !isIssuerInIdToken;
  const issuer = given.get("iss");
  const refuse = (reason: string) => new InvalidCheck(`"${provider.id}": ${reason}`);

  if (given.get("response"))
    throw refuse("the response is a token (JARM), which was not requested.");
  // RFC 9207 section 2.4: the response of another server must not cause a request to this server (mix-up).
  if (!issuer && isAnnounced)
    throw refuse("the response has no `iss`, which the server's metadata promises.");
  if (issuer && issuer !== server.issuer)
    throw refuse("the response is from another issuer (`iss`).");
  // The state has been compared already: the attempt's cookies are found by it.
  const error = parseErrorResponse(ctx, params);
  if (error) throw error;
  if (given.has("id_token") || given.has("token"))
    throw refuse("the response has a token, which the code flow never returns.");
  return given;
}
