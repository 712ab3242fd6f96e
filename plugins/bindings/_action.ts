import type {
  Auth,
  AuthorizationParams,
  RequestSource,
  SignInOptions,
  SignOutOptions,
} from "../../src/kernel.ts";

/** The result for the application's own code: the URL for the framework's redirect, and whether to redirect. */
export interface Target {
  readonly url: string;
  /** `false` when the options set `redirect: false`. A form cannot set it. */
  readonly redirect: boolean;
}

type Options = SignInOptions | SignOutOptions | FormData;

function readOptions(options: Options = {}): [fields: Record<string, unknown>, redirect: boolean] {
  if (options instanceof FormData) return [Object.fromEntries(options), true];
  return [{ ...options }, options.redirect !== false];
}

/**
 * Signs in, for a framework that redirects by a value or an error of its own.
 * @throws AuthError when the sign-in fails; `Refused` with the Response of a tap of the `request` hook.
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
 * Resolves to the URL of the sign-in page, which leads back to a page of the application. If the user has to sign in
 * again, the page says so.
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
 * Signs out, for a framework that redirects by a value or an error of its own.
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
