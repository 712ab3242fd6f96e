import { getHome, memoizeAsync } from "../../src/_kit.ts";
import { defineError, InvalidConfig, SignOutError } from "../../src/errors.ts";
import {
  type AuthContext,
  type CurrentSession,
  definePlugin,
  type Kernel,
  type Plugin,
  type RegisteredRoute,
} from "../../src/kernel.ts";
import { type AnyOAuthProvider, loadProviderClient, type RevocableTokens } from "../flows/oauth.ts";
import { keepForUser } from "./_for-user.ts";
import { findOAuthProvider } from "./_provider.ts";
import { accessTokens } from "./access-tokens.ts";
import { checkLogoutFields } from "./provider-logout/check-fields.ts";
import {
  createState,
  endLogout,
  keepLogout,
  LOGOUT_MAX_AGE_S,
  STATE_COOKIE,
} from "./provider-logout/pending-logout.ts";
import {
  extendProviderSession,
  findProviderSession,
  forgetProviderSession,
  keepProviderSession,
  makeRoom,
  type ProviderSession,
  SESSION_COOKIE,
} from "./provider-logout/provider-session.ts";

/** Options of `providerLogout`. */
export interface ProviderLogoutOptions {
  /** Ids of the providers whose sessions end. Default: every provider that has a URL for it. */
  providers?: readonly string[];
  /**
   * Whether the user's tokens at the provider are revoked too (RFC 7009): `true`, or ids of providers. This ends the
   * application's access at the provider for all of the user's sessions here. Default `false`.
   */
  revoke?: boolean | readonly string[];
}

/**
 * Tokens could not be revoked at the sign-out, because the provider is down or refuses it. The user is signed out
 * nevertheless.
 */
export const TokenRevocationFailed: typeof SignOutError = defineError(
  "TokenRevocationFailed",
  SignOutError,
);
export type TokenRevocationFailed = InstanceType<typeof SignOutError>;

const NAME = "oauth/provider-logout";
const CALLBACK = "/signout/callback";
/** Time limit of a revocation in milliseconds. It continues after the response. */
const REVOCATION_TIMEOUT_MS = 10_000;

const isListed = (list: boolean | readonly string[], id: string): boolean =>
  typeof list === "boolean" ? list : list.includes(id);

function checkOptions(kernel: Kernel, { providers, revoke }: ProviderLogoutOptions): void {
  for (const [name, list] of Object.entries({ providers, revoke })) {
    if (list === undefined || (name === "revoke" && typeof list === "boolean")) continue;
    if (!Array.isArray(list)) {
      const others = name === "revoke" ? "true, false or " : "";
      throw new InvalidConfig(
        `\`${name}\` of providerLogout() must be ${others}a list of ids of providers.`,
      );
    }
    const unknown = list.map(String).find((id) => !kernel.providers.has(id));
    if (unknown === undefined) continue;
    throw new InvalidConfig(
      `\`${name}\` of providerLogout() names "${unknown}", which is not a configured provider. List ids of providers.`,
    );
  }
}

// Returns `undefined` if a `jwt` callback has dropped `sub`. Every sign-in has replaced or cleared the cookie of the
// previous one.
function readUserId(session: CurrentSession): string | undefined {
  try {
    return session.id;
  } catch {
    return undefined;
  }
}

/** What a sign-out needs of a session before it ends. */
interface Ending {
  readonly provider: AnyOAuthProvider;
  readonly session: ProviderSession;
  readonly tokens: readonly RevocableTokens[];
}

/**
 * Ends the session at the identity provider with a sign-out. The application's session always ends first. Then the
 * visitor is redirected through the provider (OpenID Connect RP-Initiated Logout 1.0, or the provider's own method) and
 * returns to `/signout/callback`, a URL that must be registered there. Requires the route `/signout`.
 * @throws InvalidConfig at boot for a provider that does not exist, and for invalid `endSession` and `revocation`
 * fields.
 * @example export const auth = createAuth().use(keycloakPlugin()).use(providerLogout());
 */
export const providerLogout: (options?: ProviderLogoutOptions) => Plugin = definePlugin(
  function providerLogout(options = {}): Plugin {
    const { providers: listed = true, revoke = false } = options;

    return {
      name: NAME,
      requires: ["routes/signout"],
      ...(revoke !== false && { plugins: [accessTokens()] }),
      setup(kernel) {
        const loadClient = memoizeAsync(() => loadProviderClient(kernel));
        kernel.addCookie(SESSION_COOKIE, { name: "keyhook.provider-session" });
        kernel.addCookie(STATE_COOKIE, { name: "keyhook.logout-state", maxAge: LOGOUT_MAX_AGE_S });
        kernel.hooks.ready.tap(NAME, (it) => {
          checkOptions(it, options);
          checkLogoutFields(it);
        });

        const prepare = async (ctx: AuthContext): Promise<Ending | undefined> => {
          const current = await ctx.session();
          const session = await findProviderSession(ctx, current ? readUserId(current) : undefined);
          const provider = session && findOAuthProvider(kernel, session.provider);
          if (!provider) return undefined;
          const isRevoked = current !== null && isListed(revoke, provider.id);
          const tokens = isRevoked
            ? await kernel.use("accessTokens").take(ctx, session.userId, provider.id)
            : [];
          return { session, provider, tokens };
        };

        const revokeAll = async (
          { base, origin, log }: AuthContext,
          { provider, tokens }: Ending,
        ): Promise<void> => {
          const client = await loadClient();
          const signal = AbortSignal.timeout(REVOCATION_TIMEOUT_MS);
          for (const one of tokens) {
            try {
              await client.revoke(provider, one, { base, origin, signal });
            } catch (error) {
              const text = `The tokens at "${provider.id}" could not be revoked.`;
              log.error(new TokenRevocationFailed(text, { cause: { err: error as Error } }));
            }
          }
        };

        const leadAway = async (
          ctx: AuthContext,
          { provider, session: { idToken } }: Ending,
        ): Promise<Response | undefined> => {
          if (!isListed(listed, provider.id)) return undefined;
          const client = await loadClient();
          const state = createState();
          const request = { idToken, returnTo: `${ctx.base}${CALLBACK}`, state };
          const url = await client.getEndSessionUrl(provider, request, ctx);
          if (!url) return undefined;
          const { endSession } = provider;
          const isEchoed = typeof endSession !== "object" || endSession.state !== false;
          await keepLogout(ctx, { state, target: await ctx.callbackUrl(), isEchoed });
          return ctx.redirect(url.href);
        };

        // Faults before or after the end of the session must not prevent it.
        const logFaults = async <T>(
          ctx: AuthContext,
          what: string,
          work: () => Promise<T>,
        ): Promise<T | undefined> => {
          try {
            return await work();
          } catch (error) {
            ctx.log.error(new SignOutError(what, { cause: { err: error as Error } }));
            return undefined;
          }
        };

        const signOut = async (ctx: AuthContext, route: RegisteredRoute): Promise<Response> => {
          const unread =
            "The session at the identity provider could not be read, so it was not ended.";
          const ending = await logFaults(ctx, unread, () => prepare(ctx));
          let response: Response;
          try {
            response = await route.handler(ctx);
          } finally {
            // The tokens are forgotten here, so nothing would revoke them later.
            if (ending?.tokens.length) ctx.waitUntil(revokeAll(ctx, ending));
          }
          forgetProviderSession(ctx);
          if (!ending) return response;
          const text = `The session at "${ending.provider.id}" was not ended.`;
          return (await logFaults(ctx, text, () => leadAway(ctx, ending))) ?? response;
        };

        const route = kernel.route("POST", "/signout");
        if (route) {
          kernel.addRoute({ ...route, replaces: true, handler: (ctx) => signOut(ctx, route) });
        }
        kernel.addRoute({
          method: "GET",
          path: CALLBACK,
          // A forged or expired state changes nothing, because nothing is left to end.
          handler: async (ctx) => ctx.redirect((await endLogout(ctx)) ?? (await getHome(ctx))),
        });
        kernel.hooks.session.tap({ name: NAME, stage: "last" }, (_session, _params, ctx) =>
          extendProviderSession(ctx)?.then(() => undefined),
        );
        const bare = new WeakMap<AuthContext, string>();
        keepForUser(kernel, NAME, async (ctx, { account, outcome }, userId) => {
          // The session began with another account, whose session at its provider continues.
          if (outcome === "link") return;
          if (findOAuthProvider(kernel, account.provider))
            bare.set(ctx, await keepProviderSession(ctx, account, userId));
          else forgetProviderSession(ctx);
        });
        // The session cookie has been set by now.
        kernel.events.hook("signIn", (_, { ctx }) => {
          const value = ctx && bare.get(ctx);
          if (ctx && value !== undefined) makeRoom(ctx, value);
        });
      },
    };
  },
);
