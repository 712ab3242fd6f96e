import type { PublicProvider } from "../types/provider.ts";
import { withLock } from "./lock.ts";
import { safeUrl, getTargetUrl } from "./navigation.ts";
import type { PasskeyCall } from "./passkey.ts";
import { toFailure, toResult } from "./result.ts";
import { askSession, fetchCsrfToken, type Connection } from "./session.ts";
import type {
  AuthClientOptions,
  AuthorizationParams,
  PasskeyOptions,
  SignInOptions,
  SignInResult,
} from "./types.ts";

/** A POST that signs in, or starts a sign-in. */
interface SignInRequest {
  path: string;
  fields: Record<string, string>;
  target: string | undefined;
  /** Whether the response signs in, and does not only start a sign-in. */
  isDirect: boolean;
  /** Whether the page is left. */
  redirect: boolean;
}

// Values that a form cannot contain are left out.
function toFields(options: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(options)
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
    .map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(entries);
}

/** Returns the URL of the sign-in page; `null` outside a page without `baseUrl`. */
export function signInPage(
  { base }: Connection,
  target: string | undefined,
  error?: string,
): string | null {
  const query = new URLSearchParams({
    ...(error !== undefined && { error }),
    ...(target !== undefined && { callbackUrl: target }),
  }).toString();
  return safeUrl(`${base}/signin${query && `?${query}`}`)?.href ?? null;
}

function post(wire: Connection, attempt: SignInRequest): Promise<SignInResult> {
  const { path, fields, target, isDirect, redirect } = attempt;
  return withLock(wire.base, async () => {
    const csrfToken = await fetchCsrfToken(wire);
    const where = target === undefined ? {} : { callbackUrl: target };
    const body = new URLSearchParams({ ...fields, ...where, csrfToken });
    const result = toResult(await wire.send(path, body));
    // A failed read of the session is not a failure of the sign-in.
    if (result.ok && isDirect) await askSession(wire, !redirect).catch(() => {});
    return result;
  });
}

/** Signs in without navigating; resolves to `undefined` for a provider of passkeys. */
export async function attemptSignIn(
  wire: Connection,
  provider: string | undefined,
  { redirect = true, redirectTo, callbackUrl, ...options }: SignInOptions,
  params: AuthorizationParams,
): Promise<SignInResult | undefined> {
  const target = getTargetUrl(redirectTo ?? callbackUrl);
  const page = signInPage(wire, target);
  try {
    if (provider === undefined && page !== null) return { ok: true, status: 200, url: page };
    const providers = (await wire.read("/providers")) as Record<string, PublicProvider>;
    const known = Object.values(providers ?? {}).find(({ id }) => id === provider);
    if (!known) return { ok: false, error: "InvalidProvider", status: 200, url: page };
    if (known.ceremony === "webauthn") return undefined;
    const isDirect = known.direct === true;
    const path = `/${isDirect ? "callback" : "signin"}/${encodeURIComponent(known.id)}`;
    const query = new URLSearchParams(params).toString();
    return await post(wire, {
      path: path + (query && `?${query}`),
      fields: toFields(options),
      target,
      isDirect,
      redirect,
    });
  } catch (error) {
    return toFailure(error);
  }
}

/** Signs in with a passkey, or registers one, without navigating. */
export async function attemptPasskey(
  wire: Connection,
  send: AuthClientOptions["fetch"],
  action: NonNullable<PasskeyCall["action"]>,
  options: PasskeyOptions,
): Promise<SignInResult> {
  const { provider = "passkey", autofill = false, redirect = true, ...rest } = options;
  const { redirectTo, callbackUrl, ...fields } = rest;
  try {
    // Loaded on first use.
    const { askPasskey } = await import("./passkey.ts");
    const credential = await askPasskey({
      base: wire.base,
      provider,
      action,
      fields: toFields(fields),
      autofill,
      ...(send && { fetch: send as typeof fetch }),
    });
    return await post(wire, {
      path: `/callback/${encodeURIComponent(provider)}`,
      fields: { action: credential.action, data: credential.data },
      target: getTargetUrl(redirectTo ?? callbackUrl),
      isDirect: true,
      redirect,
    });
  } catch (error) {
    return toFailure(error);
  }
}
