import { failedOf, resultOf } from "./result.ts";
import { safeUrl, targetOf } from "./place.ts";
import { askSession, csrfTokenOf, type Wire } from "./session.ts";
import { inTurn } from "./turn.ts";
import type { PublicProvider } from "../types/provider.ts";
import type { AuthorizationParams, SignInOptions, SignInResult } from "./types.ts";

/** Fields of a form: what cannot stand in one is left out. */
export function fieldsOf(options: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(options)
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
    .map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(entries);
}

/** The sign-in page; `null` where nobody knows on which origin. */
export function signInPage({ base }: Wire, target: string | undefined, error?: string) {
  const query = new URLSearchParams({
    ...(error !== undefined && { error }),
    ...(target !== undefined && { callbackUrl: target }),
  }).toString();
  return safeUrl(`${base}/signin${query && `?${query}`}`)?.href ?? null;
}

async function post(
  wire: Wire,
  { id, type }: PublicProvider,
  fields: Record<string, string>,
  { target, params, here }: { target?: string; params: AuthorizationParams; here: boolean },
): Promise<SignInResult> {
  const isDirect = type === "credentials";
  const query = new URLSearchParams(params).toString();
  const path = `/${isDirect ? "callback" : "signin"}/${encodeURIComponent(id)}`;
  const csrfToken = await csrfTokenOf(wire);
  const callbackUrl = target === undefined ? {} : { callbackUrl: target };
  const body = new URLSearchParams({ ...fields, ...callbackUrl, csrfToken });
  const result = resultOf(await wire.send(path + (query && `?${query}`), body));
  // Of the others nobody is signed in yet. That it cannot be read now is no failure of the sign-in.
  if (result.ok && isDirect) await askSession(wire, here).catch(() => {});
  return result;
}

/** Signs in without leaving the page; `undefined` is a provider whose passkeys have a way of their own. */
export async function attemptSignIn(
  wire: Wire,
  provider: string | undefined,
  { redirect = true, redirectTo, callbackUrl, ...options }: SignInOptions,
  params: AuthorizationParams,
): Promise<SignInResult | undefined> {
  const target = targetOf(redirectTo ?? callbackUrl);
  const page = signInPage(wire, target);
  try {
    if (provider === undefined && page !== null) return { ok: true, status: 200, url: page };
    const providers = (await wire.read("/providers")) as Record<string, PublicProvider>;
    const known = Object.values(providers ?? {}).find(({ id }) => id === provider);
    if (!known) return { ok: false, error: "InvalidProvider", status: 200, url: page };
    if (known.type === "webauthn") return undefined;
    return await inTurn(wire.base, () =>
      post(wire, known, fieldsOf(options), {
        ...(target !== undefined && { target }),
        params,
        here: !redirect,
      }),
    );
  } catch (error) {
    return failedOf(error);
  }
}
