import type { Component } from "svelte";
import type { SignInProps, SignOutProps } from "./form.ts";
import SignInForm from "./sign-in.svelte";
import SignOutForm from "./sign-out.svelte";

/** A form that signs in: a button, and the fields it is given as children. */
export const SignIn = SignInForm as unknown as Component<SignInProps>;

/** A button that signs out. */
export const SignOut = SignOutForm as unknown as Component<SignOutProps>;

export type { FormProps, SignInProps, SignOutProps } from "./form.ts";
export { provideSession, sessionStore, useAuth, useSession } from "./session.ts";
export type { SessionStore, SessionStoreOptions, UseSessionOptions } from "./session.ts";
export { ClientError } from "../../../src/client.ts";
export type {
  AuthClient,
  AuthClientOptions,
  Session,
  SessionState,
  SignInOptions,
  SignInResult,
  SignOutOptions,
  SignOutResult,
} from "../../../src/client.ts";
