import { failedOf, resultOf } from "./result.ts";
import { safeUrl, targetOf } from "./place.ts";
import { askSession, csrfTokenOf, type Wire } from "./session.ts";
import { inTurn } from "./turn.ts";
import type { PublicProvider } from "../types/provider.ts";
import type { PasskeyCall } from "./passkey.ts";
import type {
  AuthClientOptions,
  AuthorizationParams,
  PasskeyOptions,
  SignInOptions,
  SignInResult,
} from "./types.ts";

/** What is posted, and what comes of it. */
interface Attempt {
  path: string;
  fields: Record<string, string>;
  target: string | undefined;
  /** Whether somebody is signed in by the answer, and not only on the way to be. */
  isDirect: boolean;
  /** Whether the page is left. */
  redirect: boolean;
}

// What cannot stand in a form is left out.
function fieldsOf(options: Record<string, unknown>): Record<string, string> {
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

function post(wire: Wire, attempt: Attempt): Promise<SignInResult> {
  const { path, fields, target, isDirect, redirect } = attempt;
  return inTurn(wire.base, async () => {
    const csrfToken = await csrfTokenOf(wire);
    const where = target === undefined ? {} : { callbackUrl: target };
    const body = new URLSearchParams({ ...fields, ...where, csrfToken });
    const result = resultOf(await wire.send(path, body));
    // That it cannot be read now is no failure of the sign-in.
    if (result.ok && isDirect) await askSession(wire, !redirect).catch(() => {});
    return result;
  });
}

/** Signs in without leaving the page; `undefined` for a provider of passkeys. */
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
    const isDirect = known.type === "credentials";
    const path = `/${isDirect ? "callback" : "signin"}/${encodeURIComponent(known.id)}`;
    const query = new URLSearchParams(params).toString();
    return await post(wire, {
      path: path + (query && `?${query}`),
      fields: fieldsOf(options),
      target,
      isDirect,
      redirect,
    });
  } catch (error) {
    return failedOf(error);
  }
}

/** Signs in with a passkey, or makes one, without leaving the page. */
export async function attemptPasskey(
  wire: Wire,
  ask: AuthClientOptions["fetch"],
  action: NonNullable<PasskeyCall["action"]>,
  options: PasskeyOptions,
): Promise<SignInResult> {
  const { provider = "passkey", autofill = false, redirect = true, ...rest } = options;
  const { redirectTo, callbackUrl, ...fields } = rest;
  try {
    // Loaded by who uses one.
    const { askPasskey } = await import("./passkey.ts");
    const answer = await askPasskey({
      base: wire.base,
      provider,
      action,
      fields: fieldsOf(fields),
      autofill,
      ...(ask && { fetch: ask as typeof fetch }),
    });
    return await post(wire, {
      path: `/callback/${encodeURIComponent(provider)}`,
      fields: { action: answer.action, data: answer.data },
      target: targetOf(redirectTo ?? callbackUrl),
      isDirect: true,
      redirect,
    });
  } catch (error) {
    return failedOf(error);
  }
}
