import { createBus } from "./news.ts";
import { go, targetOf } from "./place.ts";
import { createTransport } from "./request.ts";
import { failedOf } from "./result.ts";
import { askSession, csrfTokenOf, readSession, updateSession, type Wire } from "./session.ts";
import { attemptSignIn, fieldsOf, signInPage } from "./sign-in.ts";
import { attemptSignOut } from "./sign-out.ts";
import { inTurn } from "./turn.ts";
import { watchSession } from "./watch.ts";
import type { AuthClient, AuthClientOptions, PasskeyOptions, SignInResult } from "./types.ts";

/**
 * A client of one server. It knows no session of its own, so that one made at the top of a module is
 * no danger on a server: who wants to keep one up to date makes a `watchSession`.
 * @example
 * export const auth = createAuthClient({ basePath: "/api/auth" });
 * const session = await auth.getSession();
 */
export function createAuthClient(options: AuthClientOptions = {}): AuthClient {
  const transport = createTransport(options);
  const wire: Wire = { ...transport, ...createBus(`keyhook ${transport.base}`) };
  const { basePath = "/auth" } = options;

  const passkey = async (
    verb: "registerPasskey" | "signInWithPasskey",
    { provider = "passkey", redirect = true, redirectTo, callbackUrl, ...rest }: PasskeyOptions,
  ): Promise<SignInResult> => {
    const target = targetOf(redirectTo ?? callbackUrl);
    try {
      // Loaded by who uses one.
      const { [verb]: perform } = await import("./passkey.ts");
      const result = await perform({
        ...options,
        basePath,
        provider,
        fields: fieldsOf(rest),
        ...(target !== undefined && { callbackUrl: target }),
      });
      if (result.ok) {
        await inTurn(wire.base, () => askSession(wire, !redirect)).catch(() => {});
      }
      if (redirect && result.url !== null) go(result.url);
      return result;
    } catch (error) {
      return failedOf(error);
    }
  };

  return {
    basePath,
    getSession: () => readSession(wire, Date.now()),
    getCsrfToken: () => csrfTokenOf(wire),
    getProviders: () => wire.read("/providers") as ReturnType<AuthClient["getProviders"]>,
    async signIn(provider, choices = {}, params = {}) {
      const result = await attemptSignIn(wire, provider, choices, params);
      if (!result) return passkey("signInWithPasskey", { ...choices, provider });
      if ((choices.redirect ?? true) && result.url !== null) go(result.url);
      return result;
    },
    requireSignIn() {
      const page = signInPage(wire, targetOf(undefined), "SessionRequired");
      if (page !== null) go(page);
    },
    async signOut(choices = {}) {
      const result = await attemptSignOut(wire, choices);
      if ((choices.redirect ?? true) && result.url !== null) go(result.url);
      return result;
    },
    update: (data) =>
      data === undefined ? readSession(wire, Date.now()) : updateSession(wire, data),
    registerPasskey: (choices = {}) => passkey("registerPasskey", choices),
    signInWithPasskey: (choices = {}) => passkey("signInWithPasskey", choices),
    watchSession: (choices) => watchSession(wire, choices),
  };
}
