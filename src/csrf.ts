import { chain } from "./awaitable.ts";
import { equal, hmacSha256Hex, randomHex, sha256Hex } from "./crypto.ts";
import { MissingCSRF } from "./errors.ts";
import type { AuthContext } from "./types/kernel.ts";
import type { Awaitable } from "./types/models.ts";

const TOKEN = /^[0-9a-f]{64}$/;
// Keeps this use of the secret apart from every other (SECURITY.md R3).
const PURPOSE = "keyhook csrf ";

function sign(token: string, secret: string): Awaitable<string> {
  return hmacSha256Hex(secret, PURPOSE + token);
}

// Auth.js signs with SHA-256(token + secret), several secrets joined by commas: its cookies, still in
// the browsers of an application that moves here, stay good.
function signLegacy(token: string, secret: string): Awaitable<string> {
  return sha256Hex(token + secret);
}

/** The token of a CSRF cookie (`token|signature`) made under any of the secrets. */
export async function readCsrfCookie(
  cookie: string | undefined,
  secrets: readonly string[],
): Promise<string | undefined> {
  const [token = "", signature = "", ...rest] = cookie?.split("|") ?? [];
  if (!TOKEN.test(token) || !TOKEN.test(signature) || rest.length) return undefined;
  const legacy = secrets.length > 1 ? [...secrets, secrets.join(",")] : secrets;
  let good = false;
  for (const secret of secrets) good = equal(await sign(token, secret), signature) || good;
  // Which of the two forms a cookie has is no secret.
  if (good) return token;
  for (const secret of legacy) good = equal(await signLegacy(token, secret), signature) || good;
  return good ? token : undefined;
}

/** The token of this browser's CSRF cookie. */
export async function csrfTokenIn({ cookies, kernel }: AuthContext): Promise<string | undefined> {
  const { name } = cookies.spec("csrfToken");
  for (const cookie of cookies.getAll(name)) {
    const token = await readCsrfCookie(cookie, kernel.config.secret);
    if (token !== undefined) return token;
  }
  return undefined;
}

/** Value of a new CSRF cookie. */
export function newCsrfCookie(
  secrets: readonly [string, ...string[]],
): Awaitable<{ token: string; cookie: string }> {
  const token = randomHex(32);
  return chain(sign(token, secrets[0]), (signature) => ({
    token,
    cookie: `${token}|${signature}`,
  }));
}

// Browsers say where a request comes from: the second line, for when a token leaks.
function isForeign(ctx: AuthContext): boolean {
  const { headers } = ctx.request;
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  if (site === "cross-site") return true;
  if (origin && origin !== "null") return origin !== ctx.origin;
  return site !== null && site !== "same-origin" && site !== "none";
}

/**
 * Lets a POST pass that carries this browser's CSRF token in its body (double submit).
 * @throws MissingCSRF otherwise.
 */
export async function checkCsrf(ctx: AuthContext): Promise<void> {
  if (ctx.kernel.config.skipCSRFCheck) return;
  if (isForeign(ctx)) {
    throw new MissingCSRF(
      "The POST comes from another origin than the public one. Is AUTH_URL the URL people use?",
    );
  }
  const token = await csrfTokenIn(ctx);
  const { csrfToken: given } = await ctx.body();
  if (token === undefined || typeof given !== "string" || !equal(given, token)) {
    throw new MissingCSRF(
      "The CSRF token is missing or does not belong to this browser's cookie. Take it from " +
        "GET /csrf and send it as `csrfToken`.",
    );
  }
}
