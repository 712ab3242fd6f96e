import { inBatches, memoizeAsync, timingSafeEqual } from "../../src/_kit.ts";
import { InvalidConfig } from "../../src/errors.ts";
import {
  type AuthContext,
  callAdapter,
  definePlugin,
  findUserByAccount,
  type Kernel,
  type Plugin,
} from "../../src/kernel.ts";
import { type AnyOAuthProvider, loadProviderClient, type ProviderClient } from "../flows/oauth.ts";
import { InvalidLogoutRequest } from "./backchannel-logout/errors.ts";
import { type Ended, openLogouts, type ProviderLogin } from "./backchannel-logout/logouts.ts";
import { trackLogins } from "./backchannel-logout/provider-login.ts";
import { openSessionIndex } from "./backchannel-logout/session-index.ts";
import { checkTokens, MAX_LOGINS, readLogins } from "./backchannel-logout/token-claim.ts";

export { InvalidLogoutRequest } from "./backchannel-logout/errors.ts";

declare module "../../src/types.ts" {
  interface Services {
    /** The providers' users with whom sessions began, for a plugin that creates a session from another one. */
    providerLogins: ProviderLogins;
  }
  interface EventMessages {
    /** A provider has ended a session (`sid`), or all sessions of a user (`sub`). */
    providerLogout: { provider: string; sub?: string; sid?: string };
  }
}

/** The service `providerLogins`. */
export interface ProviderLogins {
  /**
   * Resolves to the providers' users with whom the request's session began. A session that is created from it ends with
   * a logout of the user, but not with one that names a session of the provider (`sid`).
   */
  list(ctx: AuthContext): Promise<readonly ProviderLogin[]>;
  /** Sets what `list` returned for the session that a request creates. */
  keep(ctx: AuthContext, logins: readonly ProviderLogin[]): void;
}

/** Options of `backchannelLogout`. */
export interface BackchannelLogoutOptions {
  /**
   * Maximum number of seconds until a session in a cookie (strategy `jwt`) ends after its provider has ended it: a
   * process reads the store at most that often. At most 3600. Default 30; with 0 it checks at every read. Stored
   * sessions end at once.
   */
  checkAge?: number;
  /**
   * Whether providers may also call `GET /frontchannel-logout/:provider` with `iss` and `sid`, in a frame of the
   * visitor's browser (OpenID Connect Front-Channel Logout 1.0). Default `false`.
   */
  frontchannel?: boolean;
}

const NAME = "oauth/backchannel-logout";
const MAX_CHECK_AGE_S = 3600;
const MAX_SID_LENGTH = 1024;

// Section 2.8 of the standard requires 400, whatever the reason. The kernel forbids caching.
const INVALID_REQUEST = {
  error: "invalid_request",
  error_description: "The logout request is not valid, or could not be carried out.",
};

// Returns whether the server can end sessions: they are stored, and the strategy's `key` is their token.
const isStored = ({ strategy }: Kernel): boolean => strategy.endsWithin !== undefined;

function checkOptions(kernel: Kernel, checkAge: number): void {
  if (!Number.isInteger(checkAge) || checkAge < 0 || checkAge > MAX_CHECK_AGE_S) {
    throw new InvalidConfig(
      `\`checkAge\` of backchannelLogout() is ${checkAge}. Set a whole number of seconds, from 0 to ${MAX_CHECK_AGE_S}.`,
    );
  }
  const { strategy } = kernel.config.session;
  if (strategy === "jwt" || isStored(kernel)) return;
  throw new InvalidConfig(
    `backchannelLogout() can end sessions of "jwt" and of strategies that store them (\`endsWithin\`), not of "${strategy}". Drop it, or change the strategy.`,
  );
}

function expectOidc({ provider }: AuthContext): AnyOAuthProvider {
  if (provider?.type === "oidc") return provider as unknown as AnyOAuthProvider;
  throw new InvalidLogoutRequest(`"${provider?.id}" is not an OpenID Connect provider.`);
}

// Anyone can send invalid requests, so those are not logged. A request that could not be checked or carried out is.
function report({ log, debug }: AuthContext, error: unknown): void {
  const { type } = error as { type?: unknown };
  const isOwn = ["OAuthSignInError", "StoreError", "AdapterError"].includes(String(type));
  if (isOwn) log.error(error as Error);
  else debug?.("the logout request is refused", { why: (error as Error).message });
}

async function verifyToken(
  ctx: AuthContext,
  client: ProviderClient,
): Promise<Ended & { jti: string }> {
  const provider = expectOidc(ctx);
  // Section 2.5 of the standard allows neither a multipart form nor JSON.
  const type = ctx.request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(type)) {
    throw new InvalidLogoutRequest("The request is not of type application/x-www-form-urlencoded.");
  }
  const { logout_token: token } = await ctx.body();
  if (typeof token !== "string" || token === "") {
    throw new InvalidLogoutRequest("The request has no `logout_token`.");
  }
  const claims = await client.verifyLogoutToken(provider, token, ctx);
  return { ...claims, provider: provider.id };
}

// Returns a page for a frame of the provider, which shows nothing.
function toFrame(status: 200 | 400, issuer?: string): Response {
  const ancestors = issuer === undefined ? "'none'" : new URL(issuer).origin;
  return new Response("<!doctype html><title>Sign-out</title>", {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; frame-ancestors ${ancestors}`,
      "x-content-type-options": "nosniff",
    },
  });
}

/**
 * Ends sessions when their provider ends its own (OpenID Connect Back-Channel Logout 1.0). The provider posts a logout
 * token to `/backchannel-logout/:provider`, a URL that must be registered there. Requires a store that all processes
 * share.
 * @throws InvalidConfig at boot for an option with an invalid value, and for a strategy other than `jwt` that does not
 * store sessions.
 * @example
 * export const auth = createAuth().use(keycloakPlugin()).use(redisStore(client)).use(backchannelLogout());
 */
export const backchannelLogout: (options?: BackchannelLogoutOptions) => Plugin = definePlugin(
  function backchannelLogout(options = {}): Plugin {
    const { checkAge = 30, frontchannel = false } = options;

    return {
      name: NAME,
      provides: ["service:providerLogins"],
      setup(kernel) {
        const logouts = openLogouts(kernel, checkAge);
        const logins = trackLogins(kernel, logouts);
        const index = openSessionIndex(kernel);
        const received = kernel.store<true>("logout-tokens", { atomic: true });
        const loadClient = memoizeAsync(() => loadProviderClient(kernel));
        kernel.addError(InvalidLogoutRequest, { message: "The logout request is not valid." });

        const end = async (ctx: AuthContext, ended: Ended): Promise<void> => {
          const { adapter } = kernel;
          const { provider, sub, sid } = ended;
          const account = sub !== undefined && { provider, providerAccountId: sub };
          const user =
            account && adapter?.getUserByAccount && (await findUserByAccount(adapter, account));
          // First, so that a paused login which is resumed in between becomes a session that ends too.
          if (user) await kernel.use("storedUsers").endedLogins.end(String(user.id));
          // A sign-in in progress is not in the index yet. It checks this record last.
          await logouts.add(ended);
          const { sessions, forget } = await index.find(ended);
          // `sub` alone means all of the user's sessions, of which the index has dropped the oldest. If a given session
          // is unknown, the user's other sessions are ended rather than none.
          const isAll = isStored(kernel) && (sid === undefined || !sessions.length);
          if (user && isAll && adapter?.deleteSessionsByUserId) {
            await callAdapter(adapter, "deleteSessionsByUserId", user.id);
          }
          // A user with thousands of sign-ins must not make the request too long.
          await inBatches(sessions, async ({ token }) => {
            if (adapter && token !== undefined) await callAdapter(adapter, "deleteSession", token);
          });
          await forget();
          const message = {
            provider,
            ...(sub !== undefined && { sub }),
            ...(sid !== undefined && { sid }),
          };
          await kernel.emit("providerLogout", message, ctx);
        };

        kernel.addRoute({
          method: "POST",
          path: "/backchannel-logout/:provider",
          // The request comes from the provider's server without cookies. Its token is the proof.
          csrf: false,
          json: true,
          async handler(ctx) {
            try {
              const { jti, ...ended } = await verifyToken(ctx, await loadClient());
              const key = [ended.provider, jti] as const;
              // Longer than a token is accepted.
              const isNew = await received.putIfAbsent(key, true, { ttl: 20 * 60_000 });
              if (!isNew) throw new InvalidLogoutRequest("The logout token was received before.");
              try {
                await end(ctx, ended);
              } catch (error) {
                // Deleted, so that the provider can try again.
                await received.delete(key);
                throw error;
              }
              return new Response(null);
            } catch (error) {
              report(ctx, error);
              return ctx.json(INVALID_REQUEST, { status: 400 });
            }
          },
        });
        if (frontchannel) {
          kernel.addRoute({
            method: "GET",
            path: "/frontchannel-logout/:provider",
            async handler(ctx) {
              try {
                const provider = expectOidc(ctx);
                const { searchParams } = ctx.url;
                const [iss, sid] = [searchParams.get("iss") ?? "", searchParams.get("sid") ?? ""];
                const issuer = (await (await loadClient()).getIssuer(provider, ctx)) ?? "";
                if (!issuer || !timingSafeEqual(iss, issuer)) {
                  throw new InvalidLogoutRequest("`iss` is not the issuer of the provider.");
                }
                if (sid === "" || sid.length > MAX_SID_LENGTH) {
                  throw new InvalidLogoutRequest("The request has no usable `sid`.");
                }
                // The provider and its clients know the id of a session. Unknown ids are not stored.
                if (await index.has(provider.id, sid))
                  await end(ctx, { provider: provider.id, sid });
                return toFrame(200, issuer);
              } catch (error) {
                report(ctx, error);
                return toFrame(400);
              }
            },
          });
        }
        // The session continues with another account and another token, and must still end with its original session at
        // the provider.
        const before = new WeakMap<AuthContext, string | undefined>();
        kernel.hooks.login.tap(
          { name: `${NAME}:link`, stage: "last" },
          async ({ outcome }, ctx) => {
            const isKept = outcome === "link" && isStored(kernel);
            before.set(ctx, isKept ? await kernel.strategy.key?.(ctx) : undefined);
          },
        );
        // A session that is not in the index would not end with the provider's session.
        kernel.events.hook("signIn", async ({ account, profile }, { ctx }) => {
          if (!account || !ctx) return;
          // For sessions in cookies, the index is needed only by front-channel requests, which anyone can send.
          if (!isStored(kernel) && !frontchannel) return;
          const token = isStored(kernel) ? await kernel.strategy.key?.(ctx) : undefined;
          const replaced = before.get(ctx);
          const begun = await logins.describe(ctx, account, profile);
          const earlier = replaced === undefined ? [] : await index.list(replaced);
          const continued = kept.get(ctx) ?? [];
          const all = [...earlier, ...continued, ...(begun ? [begun] : [])].slice(-MAX_LOGINS);
          await index.add(all, { ...(token !== undefined && { token }) });
          // A logout that the provider has sent since the sign-in began could not be found in the index.
          if (token === undefined) return;
          const ended = await Promise.all(all.map((one) => logouts.isEndedByNow(one)));
          if (!ended.includes(true)) return;
          ctx.debug?.("the provider has ended the session that this sign-in began with");
          await kernel.strategy.destroy(ctx);
        });
        kernel.hooks.ready.tap(NAME, (it) => {
          checkOptions(it, checkAge);
        });
        const setLogins = checkTokens(kernel, logouts, logins);
        const kept = new WeakMap<AuthContext, readonly ProviderLogin[]>();
        kernel.provide("providerLogins", {
          async list(ctx) {
            const key = isStored(kernel) ? await kernel.strategy.key?.(ctx) : undefined;
            const all = isStored(kernel)
              ? await index.list(key ?? "")
              : readLogins((await ctx.session())?.token);
            return all.map(({ sid: _, ...login }) => login);
          },
          keep(ctx, given) {
            kept.set(ctx, given);
            setLogins(ctx, given);
          },
        });
      },
    };
  },
);
