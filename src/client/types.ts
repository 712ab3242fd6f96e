import type { Session } from "../types/models.ts";
import type { PublicProvider } from "../types/provider.ts";
import type { ClientError } from "./error.ts";

/** What a client needs to know of its server. */
export interface AuthClientOptions {
  /** Where the server's routes are mounted. Default `/auth`. */
  basePath?: string;
  /** Origin of the server, for code that does not run in one of its pages. */
  baseUrl?: string;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** An attempt that goes on: `url` is where. Nobody is signed in before they have been there. */
export interface Going {
  ok: true;
  error?: undefined;
  code?: undefined;
  /** HTTP status of the answer. */
  status: number;
  /** An http or https URL. */
  url: string;
}

/** An attempt that failed. */
export interface Failed {
  ok: false;
  /**
   * The `type` of the server's error, such as `CredentialsSignin`; `RequestFailed` when it named none,
   * `Unreachable` when no answer came, `InvalidProvider` when there is no such provider. Of a passkey
   * also the name of what the browser threw, such as `NotAllowedError` when somebody declined.
   */
  error: string;
  /** Of a `CredentialsSignin`. */
  code?: string | undefined;
  /** HTTP status of the answer, which is 200 for most failures; 0 when none came. */
  status: number;
  /** The page that tells people about it, where the server named one. */
  url: string | null;
}

/** How an attempt to sign in went. */
export type SignInResult = Going | Failed;

/** How an attempt to sign out went. */
export type SignOutResult = Going | Failed;

/** Options of `signOut`. */
export interface SignOutOptions {
  /** Whether the page is left for the answer's `url`. Default yes. */
  redirect?: boolean;
  /** Where to go afterwards; the server lets pass what is of its own origin. Default: this page. */
  redirectTo?: string;
  /** The older name of `redirectTo`. */
  callbackUrl?: string;
}

/** Options of `signIn`; what else stands here are fields of the provider's form. */
export interface SignInOptions extends SignOutOptions {
  [field: string]: unknown;
}

/** What is added to the request to the identity provider, as far as the server allows it. */
export type AuthorizationParams = string | string[][] | Record<string, string> | URLSearchParams;

/** Options of the passkey verbs; what else stands here are fields of the provider's form. */
export interface PasskeyOptions extends SignInOptions {
  /** Id of the provider. Default `passkey`. */
  provider?: string | undefined;
  /** Waits until a passkey is chosen where a name is filled in. Default no: one is asked for at once. */
  autofill?: boolean;
}

/** What is known of the session at a moment. */
export type SessionState =
  | { readonly status: "loading"; readonly data: null; readonly error: ClientError | null }
  | { readonly status: "authenticated"; readonly data: Session; readonly error: ClientError | null }
  | { readonly status: "unauthenticated"; readonly data: null; readonly error: ClientError | null };

/** Options of `watchSession`. */
export interface WatchOptions {
  /** What the server rendered the page with; `null` is nobody. Without it the session is asked for. */
  session?: Session | null | undefined;
  /** Seconds between two looks at a session. Default 0: none but those of other reasons. */
  refetchInterval?: number | undefined;
  /** Whether to look when the page gets the focus, at most every 5 seconds. Default yes. */
  refetchOnWindowFocus?: boolean | undefined;
}

/**
 * The session of this browser, kept up to date while somebody listens: when the page gets the focus,
 * when another tab learns something, at the session's end, and when the network is back. However many
 * tabs there are, one asks. Outside a browser it says what it was given, and asks nobody.
 */
export interface SessionWatch {
  /** The same object until something changes. Only an answer of the server signs anybody in or out. */
  read(): SessionState;
  /** Calls the listener after each change; the result ends that. */
  subscribe(listener: () => void): () => void;
  /** Looks at once. Rejects with a `ClientError` when that fails; `read()` then has it too. */
  refresh(): Promise<Session | null>;
  /** Takes what the server said elsewhere, such as with a newly rendered page. */
  take(session: Session | null): void;
}

/** The verbs of an application's browser code. */
export interface AuthClient {
  readonly basePath: string;
  /**
   * Who is signed in; `null` is nobody.
   * @throws ClientError when that could not be learned.
   */
  getSession(): Promise<Session | null>;
  /**
   * The token that every POST to the server must carry; empty where the server asks for none.
   * @throws ClientError
   */
  getCsrfToken(): Promise<string>;
  /**
   * The ways in, by id.
   * @throws ClientError
   */
  getProviders(): Promise<Record<string, PublicProvider>>;
  /**
   * Signs in with a provider; without one it leads to the sign-in page. Never rejects. The page is left
   * for the result's `url`, unless `redirect` is false.
   * @example
   * await signIn("github");
   * const result = await signIn("credentials", { username, password, redirect: false });
   * if (!result.ok) show(result.error);
   */
  signIn(
    provider?: string,
    options?: SignInOptions,
    authorizationParams?: AuthorizationParams,
  ): Promise<SignInResult>;
  /** Leaves for the sign-in page, which says that this page needs a session and leads back to it. */
  requireSignIn(): void;
  /** Ends the session, in all tabs. Never rejects. */
  signOut(options?: SignOutOptions): Promise<SignOutResult>;
  /**
   * Changes the session: the `jwt` and `session` callbacks are given `data`. Without data it is read.
   * @throws ClientError
   */
  update(data?: unknown): Promise<Session | null>;
  /** Makes a passkey for whoever is signed in, or a new account with one. Never rejects. */
  registerPasskey(options?: PasskeyOptions): Promise<SignInResult>;
  /** Signs in with a passkey. Never rejects. */
  signInWithPasskey(options?: PasskeyOptions): Promise<SignInResult>;
  /** A session that is kept up to date. */
  watchSession(options?: WatchOptions): SessionWatch;
}
