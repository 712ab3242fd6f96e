import { BadRequest, InvalidCheck, OAuthCallbackError } from "../../../src/index.ts";
import { isFormPost } from "./endpoint.ts";
import { serverMetadata } from "./client-auth.ts";
import type { OAuthContext, Server } from "./types.ts";

// RFC 6749 section 3.1: no parameter twice. Which one is meant would be a matter of opinion.
const ONCE = ["code", "error", "id_token", "iss", "response", "state"];

/** Reads the provider's answer: the query, or the posted form where that was asked for. */
export async function readAnswer(ctx: OAuthContext): Promise<URLSearchParams> {
  let answer = ctx.url.searchParams;
  if (ctx.request.method === "POST") {
    if (!isFormPost(ctx.provider)) {
      throw new BadRequest(`"${ctx.provider.id}" answers by GET; this callback was posted.`);
    }
    const fields = Object.entries(await ctx.body());
    answer = new URLSearchParams(
      fields.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    );
  }
  const twice = ONCE.find((name) => answer.getAll(name).length > 1);
  if (twice !== undefined) throw new BadRequest(`The callback has two parameters "${twice}".`);
  return answer;
}

function excerpt(text: string | null): string | undefined {
  return text === null ? undefined : text.slice(0, 200);
}

/** The provider's refusal, such as of a visitor who did not consent; `undefined` when it is none. */
export function refusalOf(
  { provider }: OAuthContext,
  answer: URLSearchParams,
): OAuthCallbackError | undefined {
  const error = excerpt(answer.get("error"));
  if (!error) return undefined;
  return new OAuthCallbackError(`"${provider.id}" answered with an error.`, {
    cause: {
      provider: provider.id,
      error,
      error_description: excerpt(answer.get("error_description")),
    },
  });
}

/**
 * Checks that the answer is this server's (RFC 9207) and an authorization code's, and answers it in
 * the form that the token request takes.
 * @throws InvalidCheck, or OAuthCallbackError when the server says no.
 */
export async function checkAnswer(
  ctx: OAuthContext,
  server: Server,
  answer: URLSearchParams,
): Promise<URLSearchParams> {
  const oauth = await import("./oauth4webapi.ts");
  const { provider } = ctx;
  const given = new URLSearchParams(answer);
  const isVague = "issuerFromIdToken" in provider && provider.issuerFromIdToken !== undefined;
  // Nothing to compare with; or only once the ID token is there.
  if (!server.issuer || isVague) given.delete("iss");
  const announced = server.authorization_response_iss_parameter_supported === true && !isVague;
  const metadata = {
    issuer: serverMetadata(server).issuer,
    authorization_response_iss_parameter_supported: announced,
  };
  try {
    const client = { client_id: provider.clientId ?? "" };
    // The state is compared already: it finds the attempt's cookies.
    return oauth.validateAuthResponse(metadata, client, given, oauth.skipStateCheck);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      throw refusalOf(ctx, answer) ?? new OAuthCallbackError();
    }
    throw new InvalidCheck(`"${provider.id}": ${(error as Error).message}`);
  }
}
