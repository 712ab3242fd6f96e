import { openSealed, sealForOrigin, withMaxAge } from "../../../src/_kit.ts";
import { findUserByAccount } from "../../../src/kernel.ts";
import type { AuthContext, CookieAttributes, CookieKey, JWT } from "../../../src/kernel.ts";
import { hasRoom } from "../_room.ts";
import { pickTokens } from "./kept-tokens.ts";
import type { KeptAccount, TokenPlace } from "./types.ts";

declare module "../../../src/types/cookie.ts" {
  interface CookieKeys {
    providerTokens: true;
  }
}

/** The purpose of the cookies. There is one cookie for each provider. */
export const TOKENS_COOKIE: CookieKey & "providerTokens" = "providerTokens";

/** Maximum length of a sealed cookie, which fills two parts of a split cookie. */
const MAX_LENGTH = 7000;

interface Named {
  readonly name: string;
  readonly salt: string;
  readonly attributes: CookieAttributes;
}

function toCookie(ctx: AuthContext, provider: string): Named {
  const { name, attributes } = ctx.cookies.spec(TOKENS_COOKIE);
  return { name: `${name}-${provider}`, salt: name, attributes };
}

const isAccount = (value: unknown): value is KeptAccount => {
  const { userId, provider, providerAccountId, tokens } = (value ?? {}) as Partial<KeptAccount>;
  const texts = [userId, provider, providerAccountId];
  return texts.every((text) => typeof text === "string") && typeof tokens === "object";
};

/** Writes the cookie of an account. At a sign-in, `makeRoom` follows when the session cookie is set. */
export async function writeTokens(ctx: AuthContext, account: KeptAccount): Promise<void> {
  const { name, salt, attributes } = toCookie(ctx, account.provider);
  const { maxAge } = ctx.kernel.config.session;
  const value = await sealForOrigin(ctx, { token: account, salt, maxAge });
  if (value.length > MAX_LENGTH) {
    ctx.cookies.clearChunked(name, attributes);
    ctx.log.warn(
      "provider-tokens-large",
      `The tokens of "${account.provider}" are too large for a cookie (${value.length} of ${MAX_LENGTH} characters), and ` +
        "are not kept. Use an adapter, such as storeAdapter().",
    );
    return;
  }
  ctx.cookies.setChunked(name, value, withMaxAge(attributes, maxAge));
}

/** Clears the cookie of a provider if the browser's cookies leave no room. */
export function makeRoom(ctx: AuthContext, provider: string): void {
  if (hasRoom(ctx)) return;
  const { name, attributes } = toCookie(ctx, provider);
  ctx.cookies.clearChunked(name, attributes);
  ctx.log.warn(
    "provider-tokens-no-room",
    `The tokens of "${provider}" are not kept: with the browser's other cookies, servers would refuse its requests. ` +
      "Use an adapter, such as storeAdapter(), or return fewer claims from the `jwt` callback.",
  );
}

/** Clears the cookies of all providers that the browser has sent, except one. */
export function clearTokenCookies(ctx: AuthContext, except?: string): void {
  for (const provider of ctx.kernel.providers.keys()) {
    const { name, attributes } = toCookie(ctx, provider);
    if (provider !== except) ctx.cookies.clearChunked(name, attributes);
  }
}

// An account may have been unlinked, or linked to another user, while its cookie remains in every browser that has
// signed in.
async function isOwned({ kernel }: AuthContext, account: KeptAccount): Promise<boolean> {
  const { adapter } = kernel;
  if (!adapter || account.ownerId === undefined) return true;
  const { provider, providerAccountId } = account;
  const owner = await findUserByAccount(adapter, { provider, providerAccountId });
  return owner !== null && String(owner.id) === account.ownerId;
}

/** Creates the place for tokens that are kept in sealed cookies, separate from the session. */
export function createCookiePlace(): TokenPlace {
  return {
    isPerRequest: true,
    async list(ctx, userId, { id: provider }) {
      const { name, salt, attributes } = toCookie(ctx, provider);
      const opened: unknown[] = await openSealed(ctx, name, salt);
      // A cookie may outlive the session that it was set with. Cookies of another user or another provider are ignored.
      const own = opened.find(
        (one) => isAccount(one) && one.userId === userId && one.provider === provider,
      ) as (KeptAccount & JWT) | undefined;
      if (!own) return [];
      if (!(await isOwned(ctx, own))) {
        ctx.cookies.clearChunked(name, attributes);
        return [];
      }
      const { ownerId, providerAccountId, type, subject, iat = 0 } = own;
      const account: KeptAccount = {
        ...{ userId, provider, providerAccountId, type, tokens: pickTokens(own.tokens) },
        ...(ownerId !== undefined && { ownerId }),
        ...(subject !== undefined && { subject }),
      };
      // The cookie lasts as long as the session and is extended as often. Otherwise tokens that are not refreshed would
      // end before the session.
      const { updateAge } = ctx.kernel.config.session;
      if (iat + updateAge <= Date.now() / 1000) await writeTokens(ctx, account);
      return [account];
    },
    async write(ctx, account) {
      await writeTokens(ctx, account);
      makeRoom(ctx, account.provider);
    },
    async forget(ctx, { tokens, ...account }, what) {
      const { refresh_token: _, ...rest } = tokens;
      await writeTokens(ctx, { ...account, tokens: what === "all" ? {} : rest });
    },
  };
}
