import type { AuthorizationParams } from "../types/auth.ts";
import type { PublicProvider } from "../types/provider.ts";
import { getTargetUrl, safeUrl } from "./navigation.ts";
import type { PasskeyCall } from "./passkey.ts";
import { post } from "./post.ts";
import { type Connection, readAgain } from "./session.ts";
import type { AuthClientOptions, PasskeyOptions, SignInOptions, SignInResult } from "./types.ts";

// Values that a form cannot contain are left out.
function toFields(options: Record<string, unknown>): Record<string, string> {
  const { redirect: _, redirectTo: __, callbackUrl: ___, ...rest } = options;
  const entries = Object.entries(rest)
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
    .map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(entries);
}

/** Returns the URL of the sign-in page; `null` outside a page without `baseUrl`. */
export function signInPage({ base }: Connection, query: Record<string, string>): string | null {
  const search = new URLSearchParams(query).toString();
  return safeUrl(`${base}/signin${search && `?${search}`}`)?.href ?? null;
}

/** Returns the query with the URL to go to after the sign-in. */
export function toTargetQuery(wanted?: string): Record<string, string> {
  const target = getTargetUrl(wanted);
  return target === undefined ? {} : { callbackUrl: target };
}

// Returns whether a URL belongs to the application, whose pages and routes may have different origins.
const isOwn = ({ base }: Connection, url: string) =>
  ["", base].some((own) => safeUrl(own)?.origin === new URL(url).origin);

/** Signs in without navigating. */
export async function attemptSignIn(
  wire: Connection,
  send: AuthClientOptions["fetch"],
  provider: string | undefined,
  options: SignInOptions,
  params: AuthorizationParams,
): Promise<SignInResult> {
  const page = signInPage(wire, toTargetQuery(options.redirectTo ?? options.callbackUrl));
  if (provider === undefined && page !== null) return { ok: true, status: 200, url: page };
  const providers = (await wire.read("/providers")) as Record<string, PublicProvider>;
  const known = Object.values(providers ?? {}).find(({ id }) => id === provider);
  if (!known) return { ok: false, error: "InvalidProvider", status: 200, url: page };
  const { id, direct, ceremony } = known;
  if (ceremony === "webauthn") {
    return attemptPasskey(wire, send, "authenticate", { ...options, provider: id });
  }
  const query = new URLSearchParams(params).toString();
  return post(wire, options, {
    path: `/${direct ? "callback" : "signin"}/${encodeURIComponent(id)}${query && `?${query}`}`,
    fields: toFields(options),
    // A page that stays must learn of its session, including one that `/signin` starts, for example with the code in an
    // e-mail. At the URL of an identity provider, none has started yet.
    done: (here, url) => (direct || (here && isOwn(wire, url))) && readAgain(wire, here),
  });
}

/** Signs in with a passkey, or registers one, without navigating. */
export async function attemptPasskey(
  wire: Connection,
  send: AuthClientOptions["fetch"],
  action: NonNullable<PasskeyCall["action"]>,
  { provider = "passkey", autofill = false, ...options }: PasskeyOptions,
): Promise<SignInResult> {
  // Loaded on first use.
  const { runPasskeyCeremony } = await import("./passkey.ts");
  const credential = await runPasskeyCeremony({
    base: wire.base,
    provider,
    action,
    fields: toFields(options),
    autofill,
    ...(send && { fetch: send as typeof fetch }),
  });
  return post(wire, options, {
    path: `/callback/${encodeURIComponent(provider)}`,
    fields: { ...credential },
    done: (here) => readAgain(wire, here),
  });
}
