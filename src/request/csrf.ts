import { timingSafeEqual, hmacSha256Hex, randomHex, sha256Hex } from "../crypto/crypto.ts";
import { MissingCSRF } from "../errors/errors.ts";
import { andThen } from "../platform/awaitable.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";

const TOKEN = /^[0-9a-f]{64}$/;
// Separates this use of the secret from every other one (SECURITY.md R3).
const SIGNING_PREFIX = "keyhook csrf ";

function sign(token: string, secret: string): Awaitable<string> {
  return hmacSha256Hex(secret, SIGNING_PREFIX + token);
}

// Auth.js signs with SHA-256(token + secret), several secrets joined by commas: its cookies remain valid in
// the browsers of an application that migrates to Keyhook.
function signLegacy(token: string, secret: string): Awaitable<string> {
  return sha256Hex(token + secret);
}

/** Returns the token of a CSRF cookie (`token|signature`) that was signed under any of the secrets. */
export async function readCsrfCookie(
  cookie: string | undefined,
  secrets: readonly string[],
): Promise<string | undefined> {
  const [token = "", signature = "", ...rest] = cookie?.split("|") ?? [];
  if (!TOKEN.test(token) || !TOKEN.test(signature) || rest.length) return undefined;
  const legacy = secrets.length > 1 ? [...secrets, secrets.join(",")] : secrets;
  let isValid = false;
  for (const secret of secrets)
    isValid = timingSafeEqual(await sign(token, secret), signature) || isValid;
  // Which of the two forms a cookie has is not secret: the early return reveals nothing else.
  if (isValid) return token;
  for (const secret of legacy)
    isValid = timingSafeEqual(await signLegacy(token, secret), signature) || isValid;
  return isValid ? token : undefined;
}

/** Returns the token of this browser's first valid CSRF cookie (SECURITY.md R8). */
export async function csrfTokenIn({ cookies, kernel }: AuthContext): Promise<string | undefined> {
  const { name } = cookies.spec("csrfToken");
  for (const cookie of cookies.getAll(name)) {
    const token = await readCsrfCookie(cookie, kernel.config.secret);
    if (token !== undefined) return token;
  }
  return undefined;
}

/** Creates a CSRF token, and the value of its cookie, signed under the first secret. */
export function newCsrfCookie(
  secrets: readonly [string, ...string[]],
): Awaitable<{ token: string; cookie: string }> {
  const token = randomHex(32);
  return andThen(sign(token, secrets[0]), (signature) => ({
    token,
    cookie: `${token}|${signature}`,
  }));
}

/**
 * Resolves to the CSRF token of this browser, and sets a new one if it has none; to `undefined` with
 * `skipCSRFCheck`.
 */
export async function issueCsrfToken(ctx: AuthContext): Promise<string | undefined> {
  const { kernel, cookies } = ctx;
  const { skipCSRFCheck, secret } = kernel.config;
  if (skipCSRFCheck) return undefined;
  const known = await csrfTokenIn(ctx);
  if (known !== undefined) return known;
  const { name, attributes } = cookies.spec("csrfToken");
  const made = await newCsrfCookie(secret);
  cookies.set(name, made.cookie, attributes);
  return made.token;
}

// Browsers state the origin of a request: a second defence, for a token that has leaked.
function isCrossOrigin(ctx: AuthContext): boolean {
  const { headers } = ctx.request;
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  if (site === "cross-site") return true;
  if (origin && origin !== "null") return origin !== ctx.origin;
  return site !== null && site !== "same-origin" && site !== "none";
}

/** The request header that may contain the CSRF token, in place of the field `csrfToken` of the body. */
export const CSRF_HEADER = "x-csrf-token";

/**
 * Checks that a request contains this browser's CSRF token in its body or header (double submit cookie) and
 * comes from the public origin. Does nothing with `skipCSRFCheck`.
 * @throws MissingCSRF otherwise.
 */
export async function checkCsrf(ctx: AuthContext): Promise<void> {
  if (ctx.kernel.config.skipCSRFCheck) return;
  if (isCrossOrigin(ctx)) {
    throw new MissingCSRF(
      `The ${ctx.request.method} comes from another origin than the public one. Check that AUTH_URL is the ` +
        "URL that browsers use.",
    );
  }
  const token = await csrfTokenIn(ctx);
  const given = ctx.request.headers.get(CSRF_HEADER) ?? (await ctx.body()).csrfToken;
  if (token === undefined || typeof given !== "string" || !timingSafeEqual(given, token)) {
    throw new MissingCSRF(
      "The CSRF token is missing or does not belong to this browser's cookie. Take it from GET /csrf and " +
        `send it as the field \`csrfToken\` or the header \`${CSRF_HEADER}\`.`,
    );
  }
}
