import { redact } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import type { TokenSet } from "../../../src/kernel.ts";
import { readJson } from "../_response-json.ts";
import { fillParams, fillUrl } from "./template.ts";
import { postAsClient, readTokens } from "./tokens.ts";
import type { Exchange } from "./types.ts";

/**
 * Error codes by which providers report that a refresh token is used up, revoked or expired: the standard's and
 * GitHub's.
 */
const REFUSALS: readonly unknown[] = ["invalid_grant", "bad_refresh_token"];

// Some providers report the refusal with status 200.
async function isRefused(response: Response): Promise<boolean> {
  try {
    const body = await readJson(response, "The response of the token endpoint");
    return REFUSALS.includes((body as { error?: unknown } | null)?.error);
  } catch {
    return false;
  }
}

/**
 * Requests new tokens with a refresh token. Resolves to `undefined` when the provider has refused it permanently.
 * @throws AuthError for any other failure.
 */
export async function requestRefresh(
  exchange: Exchange,
  refreshToken: string,
): Promise<TokenSet | undefined> {
  const { provider } = exchange.ctx;
  const { url = exchange.server.token_endpoint ?? "", params } = provider.refresh ?? {};
  try {
    const body = new URLSearchParams({
      ...fillParams(params, exchange.values),
      grant_type: "refresh_token",
      refresh_token: refreshToken,
    });
    const target = fillUrl(url, exchange.values).href;
    const response = await postAsClient(exchange, target, body);
    if (await isRefused(response.clone())) return undefined;
    return await readTokens(response, exchange);
  } catch (error) {
    // The server may quote what it received.
    const { message } = error as Error;
    if (!(error instanceof AuthError))
      throw new AuthError("The refresh request could not be sent.");
    throw new (error.constructor as typeof AuthError)(redact(message, [refreshToken]));
  }
}
