import { InvalidConfig } from "../../src/errors.ts";
import { definePlugin, type Kernel, type Plugin } from "../../src/kernel.ts";
import { getOldToken, hasOldCookie, OLD_NAMES, type OldSessions } from "./next-auth-4/cookie.ts";

declare module "../../src/types/cookie.ts" {
  interface CookieKeys {
    /** The session cookie of next-auth 4. */
    nextAuth4: true;
    /** Marks a browser in which a session of next-auth 4 was signed out. */
    nextAuth4Ended: true;
  }
}

const NAME = "migrations/next-auth-4";

/**
 * Number of ended sessions that a process remembers, and for how many milliseconds. A request that reads one may be in
 * progress.
 */
const MAX_ENDED = 10_000;
const IN_PROGRESS_MS = 60_000;

function checkStrategy({ config: { session } }: Kernel): void {
  if (["jwt", "database"].includes(session.strategy)) return;
  throw new InvalidConfig(
    `nextAuth4() is used with \`session.strategy\` "${session.strategy}", which next-auth 4 does not have: no next-auth 4 session ` +
      'would be accepted. Set the strategy that the application used, "jwt" or "database", or remove nextAuth4().',
  );
}

function createOldSessions(kernel: Kernel): OldSessions {
  const { name = "" } = kernel.config.cookies.sessionToken ?? {};
  return {
    key: OLD_NAMES.includes(name) ? "sessionToken" : "nextAuth4",
    ended: kernel.remember(
      NAME,
      (createCache) => createCache<true>(NAME, { max: MAX_ENDED, ttl: IN_PROGRESS_MS }),
      { perApplication: true },
    ),
    senders: new WeakSet(),
  };
}

/**
 * Accepts the sessions of next-auth 4 (`next-auth` 4, which `@sidebase/nuxt-auth` also uses). At the first request with
 * its session cookie, a Keyhook session replaces it. The secret and `session.strategy` must be the same as before, and
 * for stored sessions also the tables. `signIn` and `signOut` of its client work too, in pages that are still open.
 *
 * Remove it once `session.maxAge` has passed since the deployment, when no session of next-auth 4 is left. If its
 * cookie had another name, domain or path than the default, set them as `cookies.nextAuth4`.
 * @example export const auth = createAuth().use(githubPlugin()).use(nextAuth4());
 */
export const nextAuth4: () => Plugin = definePlugin(function nextAuth4(): Plugin {
  return {
    name: NAME,
    setup(kernel) {
      const sessions = createOldSessions(kernel);
      const { key, ended, senders } = sessions;
      if (key === "nextAuth4") {
        kernel.addCookie("nextAuth4", { name: "next-auth.session-token", prefix: "__Secure-" });
      }
      kernel.addCookie("nextAuth4Ended", { name: "keyhook.next-auth-4-ended" });
      kernel.hooks.ready.tap(NAME, checkStrategy);
      // Before any other code reads a cookie, such as the CSRF check.
      kernel.hooks.around.tap(NAME, async (ctx, next) => {
        if (hasOldCookie(ctx, key)) {
          const { moveSession } = await import("./next-auth-4/move-session.ts");
          await moveSession(ctx, sessions);
        }
        await next();
      });
      // The cookie of a request that began earlier must not revert another request's sign-out (SECURITY.md F21).
      kernel.hooks.session.tap({ name: NAME, stage: "last" }, (_session, { token }, ctx) => {
        if (!ended.get(getOldToken(token))) return undefined;
        const { name, attributes } = ctx.cookies.spec("sessionToken");
        ctx.cookies.clearChunked(name, attributes);
        return null;
      });
      kernel.events.hook("signOut", (message, { ctx }) => {
        const token = "token" in message ? getOldToken(message.token) : "";
        if (token) ended.set(token, true);
        if (!ctx || !senders.has(ctx) || key === "sessionToken") return;
        // Each response deletes the old cookie. A browser may still keep it, for example a cookie of another domain.
        // It must not begin the session again.
        const { name, attributes } = ctx.cookies.spec("nextAuth4Ended");
        ctx.cookies.set(name, "1", { ...attributes, maxAge: kernel.config.session.maxAge });
      });
      kernel.hooks.response.tap(NAME, async (response, ctx) => {
        const url = response.headers.get("location");
        if (url === null || ctx.request.method !== "POST") return undefined;
        const { toClientResponse } = await import("./next-auth-4/client-response.ts");
        return toClientResponse(ctx, url);
      });
    },
  };
});
