import { createAuthClient } from "./client/create.ts";

export { createAuthClient };
export { ClientError } from "./client/error.ts";
export type {
  AuthClient,
  AuthClientOptions,
  AuthorizationParams,
  Failed,
  Going,
  PasskeyOptions,
  SessionState,
  SessionWatch,
  SignInOptions,
  SignInResult,
  SignOutOptions,
  SignOutResult,
  WatchOptions,
} from "./client/types.ts";
export type { Session, User } from "./types/models.ts";
export type { PublicProvider } from "./types/provider.ts";

/** The client of a server at `/auth`, whose verbs are the functions below. */
export const authClient = createAuthClient();

export const {
  getSession,
  getCsrfToken,
  getProviders,
  signIn,
  signOut,
  update,
  registerPasskey,
  signInWithPasskey,
  watchSession,
} = authClient;
