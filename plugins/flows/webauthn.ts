export type * from "./webauthn/provider.ts";
import { CHECK_MAX_AGE_S, storedUsers } from "../../src/_kit.ts";
import { AccountNotLinked, OAuthAccountNotLinked } from "../../src/errors.ts";
import {
  definePlugin,
  type FlowContext,
  normalizeEmail,
  type Plugin,
  type RouteLimit,
  type Flow,
} from "../../src/kernel.ts";
import { rateLimit } from "../security/rate-limit.ts";
import { addErrors } from "./webauthn/errors.ts";
import { buildForm } from "./webauthn/form.ts";
import type { WebAuthnProvider } from "./webauthn/provider.ts";
import { checkTogether, resolveProvider } from "./webauthn/resolve.ts";
import { sendScript, scriptPath } from "./webauthn/script.ts";
import type { WebAuthnContext } from "./webauthn/types.ts";

// Identifies the account of a registration for rate limits: the signed-in user, or what a visitor claims, by default an
// address. A custom `getUserInfo` may read something other than the fields. The result is then `undefined`, because all
// visitors would share one limit.
async function identify(ctx: FlowContext<WebAuthnProvider>): Promise<string | undefined> {
  const user = await ctx.kernel.strategy.current(ctx);
  if (user) return String(user.id);
  const { getUserInfo, formFields = {} } = ctx.provider;
  const isAddress = !getUserInfo || Object.hasOwn(formFields, "email");
  const claimed = ctx.url.searchParams.get(
    isAddress ? "email" : (Object.keys(formFields)[0] ?? ""),
  );
  const named = isAddress ? normalizeEmail(claimed) : claimed;
  return named || (getUserInfo ? undefined : "");
}

const REGISTER = {
  route: "GET /webauthn-options/:provider",
  query: { action: "register" },
  window: 900,
} as const;
const LIMITS: Readonly<Record<string, RouteLimit>> = {
  "passkey-account": { ...REGISTER, by: "account", max: 10 },
  "passkey-client": { ...REGISTER, by: "client", max: 100 },
};

function createFlow(): Flow<WebAuthnProvider> {
  return {
    links: "account",
    methods: ["POST"],
    resolve: resolveProvider,
    identify,
    limits: LIMITS,
    // Imported at the first passkey response. An application without passkeys never loads it.
    finish: async (ctx) => (await import("./webauthn/finish.ts")).finish(ctx),
    // Auth.js has a separate error for a passkey that belongs to another user.
    failed: (_, error) =>
      error instanceof OAuthAccountNotLinked
        ? new AccountNotLinked(error.message, { cause: error.cause })
        : undefined,
    ceremony: "webauthn",
    credential: "authenticator",
    form: buildForm,
  };
}

/**
 * Returns the plugin for sign-in by passkeys (WebAuthn level 3). Requires an adapter that stores
 * passkeys.
 */
export const webauthnFlow: () => Plugin = definePlugin(function webauthnFlow(): Plugin {
  return {
    name: "flows/webauthn",
    provides: ["flow:webauthn"],
    plugins: [rateLimit(), storedUsers()],
    setup(kernel) {
      addErrors(kernel);
      kernel.addCookie("webauthnChallenge", {
        name: "authjs.challenge",
        prefix: "__Secure-",
        maxAge: CHECK_MAX_AGE_S,
        reservedSalts: ["encodedWebauthnChallenge"],
      });
      kernel.addFlow("webauthn", createFlow());
      kernel.addRoute({
        method: "GET",
        path: "/webauthn-options/:provider",
        json: true,
        async handler(ctx) {
          const { sendOptions } = await import("./webauthn/options.ts");
          return sendOptions(ctx as FlowContext as WebAuthnContext);
        },
      });
      kernel.addRoute({ method: "GET", path: scriptPath, handler: sendScript });
      kernel.addRoute({
        method: "POST",
        path: "/passkeys",
        handler: async (ctx) => (await import("./webauthn/account.ts")).remove(ctx),
      });
      kernel.hooks.page.for("account").tap("flows/webauthn", async (page, ctx) => {
        const { withPasskeys } = await import("./webauthn/account.ts");
        return withPasskeys(page, ctx);
      });
      kernel.hooks.ready.tap("flows/webauthn", checkTogether);
    },
  };
});
