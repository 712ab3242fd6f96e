import type {
  AnyProviderId,
  Auth,
  AuthorizationParams,
  RequestSource,
  Session,
  SignInOptions,
  SignOutOptions,
} from "../../src/kernel.ts";
import { startSignIn, startSignOut } from "./_action.ts";

/**
 * The server functions of an Auth for the requests of a framework. The response to the request carries their cookies.
 */
export interface RequestFunctions<R> {
  /** Resolves to the session of a request, or to `null`. Read once per request. */
  getSession(request: R): Promise<Session | null>;
  /**
   * Resolves to the session of a request.
   * @throws SessionRequired without a session. The framework responds with 401.
   */
  requireSession(request: R): Promise<Session>;
  /**
   * Resolves to the session of a request whose user has signed in within `session.freshAge`.
   * @throws FreshSessionRequired for an older session, SessionRequired without one. The framework responds with 401.
   */
  requireFreshSession(request: R): Promise<Session>;
  /** Resolves to the CSRF token for a form of the application, or to `undefined` when CSRF protection is off. */
  csrfToken(request: R): Promise<string | undefined>;
  /**
   * Checks the CSRF token that was posted to the application's own code, or the header `x-csrf-token`.
   * @throws MissingCSRF if it is not this browser's, or the post comes from another origin.
   */
  verifyCsrfToken(request: R, token?: unknown): Promise<void>;
  /** Changes the session, and resolves to the changed session, or to `null` without one. */
  update(request: R, data: unknown): Promise<Session | null>;
  /**
   * Signs in, and always resolves to the URL for the application's redirect, as elsewhere with `redirect: false`.
   * @throws AuthError when the sign-in fails.
   */
  signIn(
    request: R,
    provider?: AnyProviderId,
    options?: SignInOptions<false>,
    authorizationParams?: AuthorizationParams,
  ): Promise<string>;
  /**
   * Signs out, and always resolves to the URL for the application's redirect.
   * @throws AuthError, as `signIn`.
   */
  signOut(request: R, options?: SignOutOptions<false> | FormData): Promise<string>;
}

/** Recognizes a framework's requests among the arguments of server functions. */
export interface RequestConverter<R> {
  isRequest(given: unknown): given is R;
  /** Returns the event of a request, with the same `req` at each call. */
  toSource(request: R): RequestSource;
}

type Plain = Pick<Auth, keyof RequestFunctions<unknown>>;

/**
 * Creates the server functions for a framework's requests. They still accept what the Auth's own server functions
 * accept.
 */
export function createRequestFunctions<R>(
  auth: Plain,
  { isRequest, toSource }: RequestConverter<R>,
): RequestFunctions<R> {
  const { getSession, requireSession, requireFreshSession, csrfToken, verifyCsrfToken } = auth;
  const { update, signIn, signOut } = auth;
  const convert =
    <Rest extends unknown[], Result>(
      plain: (source: RequestSource, ...rest: Rest) => Promise<unknown>,
      own: (source: RequestSource, ...rest: Rest) => Promise<Result>,
    ) =>
    async (given: R, ...rest: Rest): Promise<Result> =>
      isRequest(given)
        ? own(toSource(given), ...rest)
        : (plain(given as RequestSource, ...rest) as Promise<Result>);
  return {
    getSession: convert(getSession, getSession),
    requireSession: convert(requireSession, requireSession),
    requireFreshSession: convert(requireFreshSession, requireFreshSession),
    csrfToken: convert(csrfToken, csrfToken),
    verifyCsrfToken: convert(verifyCsrfToken, verifyCsrfToken),
    update: convert(update, update),
    signIn: convert(
      signIn,
      async (source, ...rest: [AnyProviderId?, SignInOptions<false>?, AuthorizationParams?]) =>
        (await startSignIn({ signIn }, source, ...rest)).url,
    ),
    signOut: convert(
      signOut,
      async (source, options?: SignOutOptions<false> | FormData) =>
        (await startSignOut({ signOut }, source, options)).url,
    ),
  };
}
