import type { AuthorizationParams } from "../types/auth.ts";
import type { Session } from "../types/models.ts";
import type { AnyProviderId, PublicProvider } from "../types/provider.ts";
import type { ClientError } from "./error.ts";

/** Options of `createAuthClient`. */
export interface AuthClientOptions {
  /** Path below which the server's routes are mounted. Default `/auth`. */
  basePath?: string;
  /**
   * Origin of the server. Required unless the code runs in a page of that origin. A page of another origin can only
   * read the session, with a `fetch` whose `credentials` are `include`, if the server's CORS allows it. POSTs are
   * refused.
   */
  baseUrl?: string;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * The result of an attempt without an error: it continues at `url`. If that is an identity provider, or the page that
 * asks to open an e-mail link, no one is signed in yet.
 */
export interface SignInSuccess {
  ok: true;
  error?: undefined;
  code?: undefined;
  /** HTTP status of the response. */
  status: number;
  /** An http or https URL. */
  url: string;
  /**
   * Set if the sign-in waits for a second factor and no one is signed in yet. `code`: a code of the user's
   * authenticator app is required; `setup`: the user must set the app up first. `url` is the page that asks for it.
   */
  secondFactor?: "code" | "setup" | undefined;
}

/** The result of an attempt that failed. */
export interface SignInFailure {
  ok: false;
  /**
   * The `type` of the server's error, such as `CredentialsSignin`. Otherwise:
   * - `RequestFailed`: the response names no error
   * - `Unreachable`: there was no response
   * - `InvalidProvider`: there is no such provider
   * - for a passkey, the name of the browser's error, such as `NotAllowedError` when the user declined
   */
  error: string;
  /** The `code` of a `CredentialsSignin`. */
  code?: string | undefined;
  /** HTTP status of the response, which is 200 for most failures; 0 without a response. */
  status: number;
  /** URL of the page that explains the error to the visitor; `null` if the server named none. */
  url: string | null;
}

/** The result of `signIn`. */
export type SignInResult = SignInSuccess | SignInFailure;

/** The result of `signOut`. */
export type SignOutResult = SignInSuccess | SignInFailure;

/** Options of `signOut`. */
export interface SignOutOptions {
  /** Whether to navigate to the result's `url`. Default `true`. */
  redirect?: boolean;
  /** URL to go to afterwards. By default, the server allows only its own origin. Default: this page. */
  redirectTo?: string;
  /** The older name of `redirectTo`. */
  callbackUrl?: string;
}

/** Options of `signIn`. All other keys are posted as fields of the provider's form. */
export interface SignInOptions extends SignOutOptions {
  [field: string]: unknown;
}

/** Options of the passkey methods. All other keys are sent as fields of the provider's form. */
export interface PasskeyOptions extends SignInOptions {
  /** Id of the provider. Default `passkey`. */
  provider?: string | undefined;
  /**
   * Instead of showing a dialog, waits without a time limit until the user selects a passkey in the autofill of an
   * input. Default `false`.
   */
  autofill?: boolean;
}

/** The state of a session watch: the session as last read, and the error if the last read failed. */
export type SessionState =
  | { readonly status: "loading"; readonly data: null; readonly error: ClientError | null }
  | { readonly status: "authenticated"; readonly data: Session; readonly error: ClientError | null }
  | { readonly status: "unauthenticated"; readonly data: null; readonly error: ClientError | null };

/** Options of `watchSession`. */
export interface WatchOptions {
  /** The session with which the server rendered the page; `null` for none. If absent, the session is fetched. */
  session?: Session | null | undefined;
  /** Seconds between two reads of a session. Default 0: no periodic reads. */
  refetchInterval?: number | undefined;
  /** Whether to read the session when the page gets the focus, at most every 5 seconds. Default `true`. */
  refetchOnWindowFocus?: boolean | undefined;
}

/**
 * The session of this browser, kept up to date while there are listeners. It is read when the page gets the focus, when
 * the session expires and when the network is available again. It is received when another tab reads or changes it.
 * Tabs share their reads. Outside a browser, it returns the session that it was given and sends no requests of its own.
 */
export interface SessionWatch {
  /** Returns the state: the same object until it changes. Only a server's response signs in or out. */
  read(): SessionState;
  /** Calls the listener after each change; returns the function that removes it. */
  subscribe(listener: () => void): () => void;
  /**
   * Reads the session now. Rejects with a `ClientError` if that fails. While there are listeners, `read()` then returns
   * the session or the error too.
   */
  refresh(): Promise<Session | null>;
  /** Sets a session that the server returned elsewhere, for example with a newly rendered page. */
  set(session: Session | null): void;
}

/** The client of a server's routes, for browser code. */
export interface AuthClient {
  readonly basePath: string;
  /**
   * Resolves to the session; `null` when no one is signed in.
   * @throws ClientError when it could not be read.
   */
  getSession(): Promise<Session | null>;
  /**
   * Resolves to the CSRF token that every POST to the server must contain; empty if the server requires none.
   * @throws ClientError when it could not be fetched.
   */
  getCsrfToken(): Promise<string>;
  /**
   * Resolves to the configured providers by id.
   * @throws ClientError when they could not be fetched.
   */
  getProviders(): Promise<Record<string, PublicProvider>>;
  /**
   * Signs in with a provider. Without a provider, it leads to the sign-in page. Navigates to the result's `url`, unless
   * `redirect` is `false`. Never rejects.
   * @example
   * await signIn("github");
   * const result = await signIn("credentials", { username, password, redirect: false });
   * if (!result.ok) show(result.error);
   */
  signIn(
    provider?: AnyProviderId,
    options?: SignInOptions,
    authorizationParams?: AuthorizationParams,
  ): Promise<SignInResult>;
  /** Navigates to the sign-in page, which says that this page requires a session and leads back to it. */
  requireSignIn(): void;
  /** Ends the session, in all tabs. Never rejects. */
  signOut(options?: SignOutOptions): Promise<SignOutResult>;
  /**
   * Changes the session: the `jwt` and `session` callbacks receive `data`. Without data, the session is read.
   * @throws ClientError when the server could not be reached, or refused.
   */
  update(data?: unknown): Promise<Session | null>;
  /**
   * Calls a route of a plugin below the base path: a GET, or with a body a POST of it as JSON, with the CSRF token.
   * Resolves to the JSON of the response, whose type the caller specifies and nothing checks; to `undefined` for a 204.
   * If the response to a POST contains a `url`, it may have signed in or out, so the session is read again.
   * @throws ClientError with `type`, `status` and `message` of the server's error. If the server could not be reached
   * or the response is not JSON, the type is `ClientError`.
   * @example const { name } = await call<{ name: string }>("/whoami");
   */
  call<T = unknown>(path: string, body?: object): Promise<T>;
  /** Registers a passkey for the signed-in user, or a new account with a passkey. Never rejects. */
  registerPasskey(options?: PasskeyOptions): Promise<SignInResult>;
  /** Signs in with a passkey. Never rejects. */
  signInWithPasskey(options?: PasskeyOptions): Promise<SignInResult>;
  /** Creates a watch of the session. Without a listener, it sends no requests of its own. */
  watchSession(options?: WatchOptions): SessionWatch;
}
