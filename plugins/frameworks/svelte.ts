import type { Component, ComponentConstructorOptions, SvelteComponent } from "svelte";
import type { SignInProps, SignOutProps } from "./svelte/form.ts";
import SignInForm from "./svelte/sign-in.svelte";
import SignOutForm from "./svelte/sign-out.svelte";

/** A component that accepts snippets, and named slots like the components of Auth.js. */
export type SlottedComponent<
  Props extends Record<string, unknown>,
  Slot extends string,
> = Component<Props> &
  (new (
    options: ComponentConstructorOptions<Props>,
  ) => SvelteComponent<Props, Record<string, never>, Record<Slot, object>>);

/** A form that signs in. It is a button, with its children as fields. */
export const SignIn = SignInForm as unknown as SlottedComponent<
  Pick<SignInProps, keyof SignInProps>,
  "default" | "credentials" | "email" | "submitButton"
>;

/** A form that signs out. It is a button. */
export const SignOut = SignOutForm as unknown as SlottedComponent<
  Pick<SignOutProps, keyof SignOutProps>,
  "submitButton"
>;

export type { FormProps, SignInProps, SignOutProps } from "./svelte/form.ts";
export { provideSession, sessionStore, useAuth, useSession } from "./svelte/session.ts";
export type {
  ProvideSessionOptions,
  SessionStore,
  SessionStoreOptions,
  UseSessionOptions,
} from "./svelte/session.ts";
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
