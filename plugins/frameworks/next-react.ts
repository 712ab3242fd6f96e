"use client";

import { createReactClient, type ReactClient } from "./react.ts";

// Next.js inlines `basePath` of `next.config` into its bundles.
const react: ReactClient = createReactClient({
  basePath: `${process.env.__NEXT_ROUTER_BASEPATH ?? ""}/api/auth`,
});

/** The context of `SessionProvider`. Tests and stories can set a session with its `Provider`. */
export const SessionContext: ReactClient["SessionContext"] = react.SessionContext;
/**
 * Provides the session to the components inside, for the routes of `keyhook/next`. With `session` from `auth()`, none
 * is fetched initially.
 */
export const SessionProvider: ReactClient["SessionProvider"] = react.SessionProvider;
/**
 * Returns the session of the `SessionProvider` around the component.
 * @throws Error without a `SessionProvider`.
 */
export const useSession: ReactClient["useSession"] = react.useSession;
/** Signs in. Never rejects. */
export const signIn: ReactClient["signIn"] = react.signIn;
/** Signs out in all tabs. Never rejects. */
export const signOut: ReactClient["signOut"] = react.signOut;
/** Resolves to the session, or to `null`. */
export const getSession: ReactClient["getSession"] = react.getSession;
/** Resolves to the configured providers. */
export const getProviders: ReactClient["getProviders"] = react.getProviders;
/** Resolves to the browser's CSRF token. */
export const getCsrfToken: ReactClient["getCsrfToken"] = react.getCsrfToken;
/** Creates a passkey. Never rejects. */
export const registerPasskey: ReactClient["registerPasskey"] = react.registerPasskey;
/** Signs in with a passkey. Never rejects. */
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
