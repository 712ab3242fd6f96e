import type {
  Auth,
  AuthorizationParams,
  RequestSource,
  SignInOptions,
  SignOutOptions,
} from "../../src/kernel.ts";

/** What the application's own code asks for: the URL that the framework redirects to, and whether it is to. */
export interface Target {
  readonly url: string;
  /** `false` when the options say `redirect: false`. A form cannot say so. */
  readonly redirect: boolean;
}

type Options = SignInOptions | SignOutOptions | FormData;

function readOptions(options: Options = {}): [fields: Record<string, unknown>, redirect: boolean] {
  if (options instanceof FormData) return [Object.fromEntries(options), true];
  return [{ ...options }, options.redirect !== false];
}

/**
 * Signs in for a framework that redirects by a value or an error of its own.
 * @throws AuthError that the sign-in failed with; `Refused` with the Response of a tap of the `request` hook.
 */
export async function startSignIn(
  auth: Pick<Auth, "signIn">,
  source: RequestSource,
  provider?: string,
  options?: SignInOptions,
  authorizationParams?: AuthorizationParams,
): Promise<Target> {
  const [fields, redirect] = readOptions(options);
  const given = { ...fields, redirect: false } as const;
  return { url: await auth.signIn(source, provider, given, authorizationParams), redirect };
}

/**
 * Resolves to the URL of the sign-in page that leads back to a page of the application. To a user who has to sign in again it
 * says so.
 */
export async function getSignInUrl(
  auth: Pick<Auth, "signIn">,
  source: RequestSource,
  redirectTo: string,
  error?: string,
): Promise<string> {
  const { url } = await startSignIn(auth, source, undefined, { redirectTo });
  if (error !== "FreshSessionRequired") return url;
  const page = new URL(url);
  page.searchParams.set("error", error);
  return page.href;
}

/**
 * Signs out for a framework that redirects by a value or an error of its own.
 * @throws AuthError, as `startSignIn`.
 */
export async function startSignOut(
  auth: Pick<Auth, "signOut">,
  source: RequestSource,
  options?: SignOutOptions | FormData,
): Promise<Target> {
  const [fields, redirect] = readOptions(options);
  return { url: await auth.signOut(source, { ...fields, redirect: false }), redirect };
}
