import { createBus } from "./news.ts";
import { go, targetOf } from "./place.ts";
import { createTransport } from "./request.ts";
import { csrfTokenOf, readSession, updateSession, type Wire } from "./session.ts";
import { attemptPasskey, attemptSignIn, signInPage } from "./sign-in.ts";
import { attemptSignOut } from "./sign-out.ts";
import { watchSession } from "./watch.ts";
import type {
  AuthClient,
  AuthClientOptions,
  Failed,
  Going,
  PasskeyOptions,
  SignOutOptions,
} from "./types.ts";

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

  // Where the attempt leads, unless the caller stays: a failure too has a page that tells of it.
  const leave = (result: Going | Failed, { redirect = true }: SignOutOptions) => {
    if (redirect && result.url !== null) go(result.url);
    return result;
  };
  const passkey = async (action: "authenticate" | "register", choices: PasskeyOptions) =>
    leave(await attemptPasskey(wire, options.fetch, action, choices), choices);

  return {
    basePath: options.basePath ?? "/auth",
    getSession: () => readSession(wire, Date.now()),
    getCsrfToken: () => csrfTokenOf(wire),
    getProviders: () => wire.read("/providers") as ReturnType<AuthClient["getProviders"]>,
    async signIn(provider, choices = {}, params = {}) {
      const result = await attemptSignIn(wire, provider, choices, params);
      return result ? leave(result, choices) : passkey("authenticate", { ...choices, provider });
    },
    requireSignIn() {
      const page = signInPage(wire, targetOf(undefined), "SessionRequired");
      if (page !== null) go(page);
    },
    signOut: async (choices = {}) => leave(await attemptSignOut(wire, choices), choices),
    update: (data) =>
      data === undefined ? readSession(wire, Date.now()) : updateSession(wire, data),
    registerPasskey: (choices = {}) => passkey("register", choices),
    signInWithPasskey: (choices = {}) => passkey("authenticate", choices),
    watchSession: (choices) => watchSession(wire, choices),
  };
}
