import { createAuthClient } from "./client/create.ts";
import type { AuthClient } from "./client/types.ts";

export { createAuthClient };
export { ClientError } from "./client/error.ts";
export type {
  AuthClient,
  AuthClientOptions,
  SignInFailure,
  SignInSuccess,
  PasskeyOptions,
  SessionState,
  SessionWatch,
  SignInOptions,
  SignInResult,
  SignOutOptions,
  SignOutResult,
  WatchOptions,
} from "./client/types.ts";
export type { AuthorizationParams } from "./types/auth.ts";
export type { Session, User } from "./types/models.ts";
export type { PageData } from "./types/page.ts";
export type { PublicProvider } from "./types/provider.ts";

/** The client of the routes at `/auth` on the page's origin; the functions below are its methods. */
export const authClient: AuthClient = createAuthClient();

/** Resolves to the session; see `AuthClient.getSession`. */
export const getSession: AuthClient["getSession"] = authClient.getSession;
/** Resolves to the CSRF token; see `AuthClient.getCsrfToken`. */
export const getCsrfToken: AuthClient["getCsrfToken"] = authClient.getCsrfToken;
/** Resolves to the configured providers by id; see `AuthClient.getProviders`. */
export const getProviders: AuthClient["getProviders"] = authClient.getProviders;
/** Signs in with a provider; see `AuthClient.signIn`. */
export const signIn: AuthClient["signIn"] = authClient.signIn;
/** Ends the session, in all tabs; see `AuthClient.signOut`. */
export const signOut: AuthClient["signOut"] = authClient.signOut;
/** Changes the session, or reads it again; see `AuthClient.update`. */
export const update: AuthClient["update"] = authClient.update;
/** Calls a route of a plugin; see `AuthClient.call`. */
export const call: AuthClient["call"] = authClient.call;
/** Registers a passkey; see `AuthClient.registerPasskey`. */
export const registerPasskey: AuthClient["registerPasskey"] = authClient.registerPasskey;
/** Signs in with a passkey; see `AuthClient.signInWithPasskey`. */
export const signInWithPasskey: AuthClient["signInWithPasskey"] = authClient.signInWithPasskey;
/** Creates a watch of the session; see `AuthClient.watchSession`. */
export const watchSession: AuthClient["watchSession"] = authClient.watchSession;
