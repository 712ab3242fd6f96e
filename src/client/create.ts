import { createBus } from "./broadcast.ts";
import { navigate } from "./navigation.ts";
import { createTransport } from "./request.ts";
import { toFailure } from "./result.ts";
import {
  callRoute,
  fetchCsrfToken,
  readSession,
  updateSession,
  type Connection,
} from "./session.ts";
import { attemptPasskey, attemptSignIn, signInPage, toTargetQuery } from "./sign-in.ts";
import { attemptSignOut } from "./sign-out.ts";
import type {
  AuthClient,
  AuthClientOptions,
  PasskeyOptions,
  SignInResult,
  SignOutOptions,
} from "./types.ts";
import { watchSession } from "./watch.ts";

/**
 * Creates the client of one server. It keeps no session, so that a client at the top of a module leaks no session
 * between the requests of a server. `watchSession` keeps a session up to date.
 * @example
 * export const auth = createAuthClient({ basePath: "/api/auth" });
 * const session = await auth.getSession();
 */
export function createAuthClient(options: AuthClientOptions = {}): AuthClient {
  const transport = createTransport(options);
  const wire: Connection = { ...transport, ...createBus(`keyhook ${transport.base}`) };

  // Navigates to the result's URL, unless the caller opts out: a failure also has a page that explains it.
  const leave = async (attempt: Promise<SignInResult>, { redirect = true }: SignOutOptions) => {
    const result = await attempt.catch(toFailure);
    if (redirect && result.url !== null) navigate(result.url);
    return result;
  };
  const passkey = (action: "authenticate" | "register", choices: PasskeyOptions) =>
    leave(attemptPasskey(wire, options.fetch, action, choices), choices);

  return {
    basePath: options.basePath ?? "/auth",
    getSession: () => readSession(wire, Date.now()),
    getCsrfToken: () => fetchCsrfToken(wire),
    getProviders: () => wire.read("/providers") as ReturnType<AuthClient["getProviders"]>,
    signIn: (provider, choices = {}, params = {}) =>
      leave(attemptSignIn(wire, options.fetch, provider, choices, params), choices),
    requireSignIn() {
      const page = signInPage(wire, { error: "SessionRequired", ...toTargetQuery() });
      // Going back would only lead here again, or to a page in the back/forward cache that waits forever.
      if (page !== null) navigate(page, "replace");
    },
    signOut: (choices = {}) => leave(attemptSignOut(wire, choices), choices),
    update: (data) =>
      data === undefined ? readSession(wire, Date.now()) : updateSession(wire, data),
    call: <T>(path: string, body?: object) => callRoute(wire, path, body) as Promise<T>,
    registerPasskey: (choices = {}) => passkey("register", choices),
    signInWithPasskey: (choices = {}) => passkey("authenticate", choices),
    watchSession: (choices) => watchSession(wire, choices),
  };
}
