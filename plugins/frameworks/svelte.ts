import type { Component } from "svelte";
import type { SignInProps, SignOutProps } from "./svelte/form.ts";
import SignInForm from "./svelte/sign-in.svelte";
import SignOutForm from "./svelte/sign-out.svelte";

/** A form that signs in: a button, and its children as fields. */
export const SignIn = SignInForm as unknown as Component<SignInProps>;

/** A form that signs out: a button. */
export const SignOut = SignOutForm as unknown as Component<SignOutProps>;

export type { FormProps, SignInProps, SignOutProps } from "./svelte/form.ts";
export { provideSession, sessionStore, useAuth, useSession } from "./svelte/session.ts";
export type { SessionStore, SessionStoreOptions, UseSessionOptions } from "./svelte/session.ts";
export { ClientError } from "../../src/client.ts";
export type {
  AuthClient,
  AuthClientOptions,
  Session,
  SessionState,
  SignInOptions,
  SignInResult,
  SignOutOptions,
  SignOutResult,
} from "../../src/client.ts";
