import { isSealed, NAMESPACE_CLAIM, ORIGIN_CLAIM } from "../crypto/sealed.ts";
import type { CookieAttributes } from "../types/cookie.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Awaitable, JWT } from "../types/models.ts";

/**
 * Seals the content of a cookie under a salt, for this public origin and `storeNamespace`, for `maxAge` seconds. Stages
 * and tenants of an application may share a secret, and what one of them sealed must grant nothing at another
 * (SECURITY.md R3).
 */
export function sealForOrigin(
  { kernel, origin }: AuthContext,
  { token, salt, maxAge }: { token: object; salt: string; maxAge: number },
): Awaitable<string> {
  const { secret, storeNamespace } = kernel.config;
  return kernel.tokens.encode({
    token: { ...token, [ORIGIN_CLAIM]: origin, [NAMESPACE_CLAIM]: storeNamespace },
    secret,
    salt,
    maxAge,
  });
}

/** Returns the attributes of a cookie with this lifetime in seconds, as `Expires` too. */
export function withMaxAge(attributes: CookieAttributes, maxAge: number): CookieAttributes {
  return { ...attributes, maxAge, expires: new Date(Date.now() + maxAge * 1000) };
}

/**
 * Opens the cookies that the browser sent under a name, whole or in parts. Leaves out cookies that are expired, or that
 * this application did not seal under the salt (default: the name), at this origin and under this namespace: a sibling
 * host may have set them (SECURITY.md R8). Cookies of Auth.js contain no origin.
 */
export async function openSealed(
  { cookies, kernel, origin }: AuthContext,
  name: string,
  salt: string = name,
): Promise<JWT[]> {
  const { secret, storeNamespace } = kernel.config;
  const opened: JWT[] = [];
  for (const token of cookies.getCandidates(name, { isLikely: isSealed })) {
    try {
      const content = await kernel.tokens.decode({ token, secret, salt });
      const {
        [ORIGIN_CLAIM]: sealedAt = origin,
        [NAMESPACE_CLAIM]: namespace,
        ...rest
      } = content ?? {};
      if (content && sealedAt === origin && namespace === storeNamespace) opened.push(rest);
      else {
        const reason = sealedAt === origin ? "storeNamespace" : "origin";
        kernel.logger.debug("a cookie was dropped", { name, reason });
      }
    } catch (error) {
      const { message: reason } = error as Error;
      kernel.logger.debug("a cookie was dropped", { name, reason });
    }
  }
  return opened;
}
