import type {
  AuthorizationParams,
  RequestSource,
  Session,
  SignInOptions,
  SignOutOptions,
} from "../../../src/kernel.ts";
import type { ServerFunctions } from "../_server-functions.ts";
import type { KitEvent } from "./visit.ts";

/** The hook `handle` of SvelteKit. */
export type KitHandle = <Event extends KitEvent>(input: {
  event: Event;
  resolve: (event: Event) => Response | Promise<Response>;
}) => Promise<Response>;

/** What an action returns when it does not redirect. */
export interface KitActionResult {
  /** The URL to which it would have redirected. */
  readonly url: string;
}

/** The data of an action that failed. */
export interface KitActionFailure {
  /** The type of the error, such as `CredentialsSignin`. */
  readonly error: string;
  /** Distinguishes reasons: the `code` of `CredentialsSignin`, or `invalid_address` of `EmailSignInError`. */
  readonly code?: string;
}

/** Signs in, as a form action or as a function for the application's code, which names the provider. */
export type KitSignIn<Result> = (
  event: KitEvent,
  provider?: string,
  options?: SignInOptions,
  authorizationParams?: AuthorizationParams,
) => Promise<Result>;

/** Signs out, as a form action or as a function for the application's code. */
export type KitSignOut<Result> = (event: KitEvent, options?: SignOutOptions) => Promise<Result>;

/** The server functions that the binding replaces. The others are those of the Auth, and accept an event of Kit too. */
type ReplacedName = "requireFreshSession" | "requireSession" | "signIn" | "signOut";

/** The server functions that accept an event of Kit as their first argument, and are not replaced. */
export type KitFunctions = Omit<ServerFunctions<KitEvent>, ReplacedName>;

/** The members of the binding for SvelteKit. `Failure` is Kit's type of failed actions. */
export interface OwnMembers<Failure> {
  /** The hook of `hooks.server.ts`. It handles the routes, and gives every event `event.locals.auth()`. */
  readonly handle: KitHandle;
  /**
   * A hook after `handle`. It calls `callbacks.authorized`, and redirects browsers to the sign-in page.
   * @example export const handle = sequence(auth.handle, auth.guard);
   */
  readonly guard: KitHandle;
  /**
   * Signs in and redirects. As a form action it reads `providerId`, `redirectTo`, `redirect` and the fields of the
   * provider from the form.
   * @throws AuthError when the sign-in fails, such as `CredentialsSignin`; Kit's redirect.
   */
  readonly signIn: KitSignIn<KitActionResult>;
  /**
   * Signs out and redirects. As a form action it reads `redirectTo` and `redirect` from the form.
   * @throws AuthError; Kit's redirect.
   */
  readonly signOut: KitSignOut<KitActionResult>;
  /**
   * `signIn` and `signOut` as form actions. For errors that the visitor may see, they return `fail(status, { error,
   * code })` instead of throwing.
   * @example export const actions = auth.actions; // <form method="post" action="?/signIn">
   */
  readonly actions: {
    readonly signIn: KitSignIn<KitActionResult | Failure>;
    readonly signOut: KitSignOut<KitActionResult | Failure>;
  };
  /**
   * Resolves to the session of an event.
   * @throws Kit's redirect to the sign-in page if a browser requests a page, otherwise Kit's error 401.
   */
  requireSession(event: KitEvent): Promise<Session>;
  /**
   * Resolves to the session of an event whose user has signed in within `session.freshAge`.
   * @throws like `requireSession`, also for an older session.
   */
  requireFreshSession(event: KitEvent): Promise<Session>;
  /**
   * Converts an event into the argument that the server functions of an Auth accept. A `RequestSource` is returned
   * unchanged.
   */
  toRequestSource(given: RequestSource | KitEvent): Promise<RequestSource>;
}

/** The members that `createAuth` of `keyhook/sveltekit` adds to an Auth. `Failure` is Kit's type of failed actions. */
export interface KitMembers<Failure> extends KitFunctions, OwnMembers<Failure> {}
