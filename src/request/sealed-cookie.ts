import { isSealed } from "../crypto/sealed.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { JWT } from "../types/models.ts";

/**
 * Opens the cookies that the browser sent under a name, whole or in parts. Those that this application has not
 * sealed under the salt (default: the name), or that are expired, are left out: a sibling host may have set them
 * (SECURITY.md R8).
 */
export async function openSealed(
  { cookies, kernel }: AuthContext,
  name: string,
  salt: string = name,
): Promise<JWT[]> {
  const { secret } = kernel.config;
  const opened: JWT[] = [];
  for (const token of cookies.getCandidates(name, { isLikely: isSealed })) {
    try {
      const content = await kernel.tokens.decode({ token, secret, salt });
      if (content) opened.push(content);
    } catch (error) {
      const { message: reason } = error as Error;
      kernel.logger.debug("a cookie was dropped", { name, reason });
    }
  }
  return opened;
}
