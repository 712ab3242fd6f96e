import type {
  AnyProviderId,
  Auth,
  AuthorizationParams,
  RequestSource,
  ServerFunctionName,
  SignInOptions,
  SignOutOptions,
} from "../../src/kernel.ts";
import { startSignIn, startSignOut } from "./_action.ts";

type ActionName = "signIn" | "signOut";

/** The server functions of an Auth, for a framework's own source as their first argument; all but the actions. */
export type SourceFunctions<Source> = {
  readonly [Name in Exclude<ServerFunctionName, ActionName>]: Auth[Name] extends (
    source: RequestSource,
    ...rest: infer Rest
  ) => infer Result
    ? (source: Source, ...rest: Rest) => Result
    : never;
};

/** The server functions of an Auth, for a framework's own source as their first argument. */
export interface ServerFunctions<Source> extends SourceFunctions<Source> {
  // Written out, because inference would lose that `redirect` decides the result.
  readonly signIn: <Redirect extends boolean = true>(
    source: Source,
    provider?: AnyProviderId,
    options?: SignInOptions<Redirect>,
    authorizationParams?: AuthorizationParams,
  ) => Promise<Redirect extends false ? string : Response>;
  readonly signOut: <Redirect extends boolean = true>(
    source: Source,
    options?: SignOutOptions<Redirect> | FormData,
  ) => Promise<Redirect extends false ? string : Response>;
}

/** `signIn` and `signOut` for a framework that redirects by a URL. */
export interface UrlActions<Source> {
  /**
   * Signs in, and always resolves to the URL for the application's redirect, as elsewhere with `redirect: false`.
   * @throws AuthError when the sign-in fails.
   */
  readonly signIn: (
    request: Source,
    provider?: AnyProviderId,
    options?: SignInOptions<false>,
    authorizationParams?: AuthorizationParams,
  ) => Promise<string>;
  /**
   * Signs out, and always resolves to the URL for the application's redirect.
   * @throws AuthError, as `signIn`.
   */
  readonly signOut: (
    request: Source,
    options?: SignOutOptions<false> | FormData,
  ) => Promise<string>;
}

/**
 * Creates `signIn` and `signOut` for a framework's requests. For a `RequestSource`, they do what those of the Auth do.
 */
export function createUrlActions<Source>(
  { signIn, signOut }: Pick<Auth, ActionName>,
  isRequest: (given: unknown) => given is Source,
  toRequestSource: (request: Source) => RequestSource,
): UrlActions<Source> {
  const actions = { signIn, signOut };
  return {
    signIn: async (given, ...rest) =>
      isRequest(given)
        ? (await startSignIn(actions, toRequestSource(given), ...rest)).url
        : signIn(given as RequestSource, ...rest),
    signOut: async (given, ...rest) =>
      isRequest(given)
        ? (await startSignOut(actions, toRequestSource(given), ...rest)).url
        : signOut(given as RequestSource, ...(rest as [SignOutOptions<false>?])),
  };
}
