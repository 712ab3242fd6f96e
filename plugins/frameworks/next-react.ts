"use client";

import { createReactClient, type ReactClient } from "./react.ts";

// Next.js writes `basePath` of `next.config` into its bundles.
const react: ReactClient = createReactClient({
  basePath: `${process.env.__NEXT_ROUTER_BASEPATH ?? ""}/api/auth`,
});

/** What `SessionProvider` provides: with its `Provider`, tests and stories state a session of their own. */
export const SessionContext: ReactClient["SessionContext"] = react.SessionContext;
/**
 * Provides the session to the components inside, for the routes of `keyhook/next`. With `session` of `auth()`, none is
 * fetched at first.
 */
export const SessionProvider: ReactClient["SessionProvider"] = react.SessionProvider;
/**
 * Returns the session of the `SessionProvider` around the component.
 * @throws Error without a `SessionProvider`.
 */
export const useSession: ReactClient["useSession"] = react.useSession;
/** Signs in; never rejects. */
export const signIn: ReactClient["signIn"] = react.signIn;
/** Signs out, in all tabs; never rejects. */
export const signOut: ReactClient["signOut"] = react.signOut;
/** Resolves to the session; `null` without one. */
export const getSession: ReactClient["getSession"] = react.getSession;
/** Resolves to the providers that are configured. */
export const getProviders: ReactClient["getProviders"] = react.getProviders;
/** Resolves to the CSRF token of the browser. */
export const getCsrfToken: ReactClient["getCsrfToken"] = react.getCsrfToken;
/** Makes a passkey; never rejects. */
export const registerPasskey: ReactClient["registerPasskey"] = react.registerPasskey;
/** Signs in with a passkey; never rejects. */
export const signInWithPasskey: ReactClient["signInWithPasskey"] = react.signInWithPasskey;

export type {
  AuthorizationParams as SignInAuthorizationParams,
  Session,
  SessionContextValue,
  SessionProviderProps,
  SignInOptions,
  SignInResult,
  SignInResult as SignInResponse,
  SignOutOptions,
  SignOutOptions as SignOutParams,
  SignOutResult,
  UpdateSession,
  UseSessionOptions,
} from "./react.ts";
