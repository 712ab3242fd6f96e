import { type CeremonyOptions, performCeremony, startAttempt } from "./ceremony.ts";

export { supportsPasskeyAutofill, supportsPasskeys } from "./ceremony.ts";

/** Parameters of `runPasskeyCeremony`. */
export interface PasskeyCall {
  /** Base of the routes: a path of this origin (`/auth`), or a full URL, without a trailing slash. */
  base: string;
  /** Id of the provider, such as `passkey`. */
  provider: string;
  /**
   * `authenticate` signs in with an existing passkey. `register` creates one for the signed-in user, or else for the
   * new user that `fields` describe. Default `authenticate`.
   */
  action?: "authenticate" | "register";
  /** Fields of the provider's form, such as `email`. */
  fields?: Readonly<Record<string, string>>;
  /**
   * Instead of showing a dialog, waits without a time limit until the user selects a passkey in the autofill of an
   * input. Default `false`.
   */
  autofill?: boolean;
  /** Sends the request. Default: the global `fetch`. */
  fetch?: typeof fetch;
}

/** The response of an authenticator, to be posted to the provider's callback with the CSRF token. */
export interface PasskeyResponse {
  action: "authenticate" | "register";
  /** The credential as JSON. */
  data: string;
}

/** The error if a server returns no options, for example because registration is not allowed. */
export interface PasskeyRefused extends Error {
  readonly name: "PasskeyRefused";
  /** HTTP status of the response. */
  readonly status: number;
  /** The `type` of the server's error, such as `FreshSessionRequired`, if the server names a page for it. */
  readonly type?: string;
  /** URL of that page, on which the user signs in and which leads back here. */
  readonly url?: string;
}

/** Time limit of the request for options in milliseconds: longer than the server's own. */
const TIMEOUT_MS = 15_000;
/**
 * Milliseconds after which an autofill offer gets another challenge. The server's challenge expires after 15 minutes.
 */
const RENEWAL_MS = 10 * 60_000;
/** Milliseconds between two checks of the clock, since timers stop while the computer sleeps. */
const CHECK_MS = 60_000;

interface Ceremony {
  action: PasskeyResponse["action"];
  options: CeremonyOptions;
}

/** The server's response, but a proxy may respond with anything. */
type Reply = Partial<Ceremony & Record<"error" | "url", string>>;

const isCeremony = (reply: Reply): reply is Ceremony =>
  typeof reply.options?.challenge === "string";

function toRefusal(status: number, { error: type, url = "" }: Reply): PasskeyRefused {
  const text = `The server returned no options for a passkey (status ${status}).`;
  const page = /^https?:/.test(url) && { type, url };
  return Object.assign(new Error(text), { name: "PasskeyRefused" as const, status, ...page });
}

async function fetchOptions(call: PasskeyCall, attempt: AbortController): Promise<Ceremony> {
  const { base, provider, action = "authenticate", fields, fetch: send = fetch } = call;
  const query = new URLSearchParams({ ...fields, action });
  const url = `${base}/webauthn-options/${encodeURIComponent(provider)}?${query}`;
  const { signal } = attempt;
  // The same error that `fetch` throws without a network.
  const limit = setTimeout(() => attempt.abort(new TypeError("Timeout")), TIMEOUT_MS);
  try {
    const headers = { accept: "application/json" };
    const response = await send(url, { headers, cache: "no-store", signal });
    const reply = ((await response.json().catch(() => {})) ?? {}) as Reply;
    signal.throwIfAborted();
    if (response.ok && isCeremony(reply)) return reply;
    throw toRefusal(response.status, reply);
  } finally {
    clearTimeout(limit);
  }
}

// An offer may be on a page for hours. The old one stays until the options of the next one arrive.
async function perform(
  call: PasskeyCall,
  { action, options }: Ceremony,
  attempt: AbortController,
): Promise<PasskeyResponse> {
  const { autofill = false } = call;
  const startedAt = Date.now();
  let renewed: Promise<PasskeyResponse> | undefined;
  const renew = async () => {
    // The clock may also have been set back.
    if (Math.abs(Date.now() - startedAt) < RENEWAL_MS) return;
    const next = await fetchOptions(call, new AbortController());
    if (!attempt.signal.aborted) renewed = perform(call, next, startAttempt());
  };
  // A failed renewal, such as without a network, is tried again.
  const timer = autofill && setInterval(() => void renew().catch(() => {}), CHECK_MS);
  try {
    const credential = await performCeremony(action, options, autofill, attempt);
    return { action, data: JSON.stringify(credential) };
  } catch (error) {
    if (renewed) return await renewed;
    throw error;
  } finally {
    if (timer) {
      clearInterval(timer);
      // Prevents a ceremony if the options of a renewal arrive later.
      attempt.abort();
    }
  }
}

/**
 * Fetches the options of a ceremony from the server and performs it with an authenticator. A later call aborts a
 * pending one.
 * @throws PasskeyRefused when the server returns no options; the browser's error, such as `NotAllowedError`, when the
 * user declines or the time limit is exceeded.
 */
export async function runPasskeyCeremony(call: PasskeyCall): Promise<PasskeyResponse> {
  const attempt = startAttempt();
  return perform(call, await fetchOptions(call, attempt), attempt);
}
