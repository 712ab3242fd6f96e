import type { AuthError } from "../../../src/errors.ts";
import { type AuthContext, pageUrl } from "../../../src/kernel.ts";

/** Returns the URL of the verify-request page, which says that an e-mail was sent. */
export function getNoticeUrl(
  { provider, kernel, base, origin }: AuthContext,
  { type: error, code }: Partial<Pick<AuthError, "type" | "code">> = {},
): string {
  const own = kernel.route("GET", "/verify-request")
    ? undefined
    : kernel.config.pages.verifyRequest;
  const query = { provider: provider?.id, type: "email", error, code };
  return pageUrl(own ?? `${base}/verify-request`, origin, query);
}
