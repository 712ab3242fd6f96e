import { timingSafeEqual, hmacSha256Hex, randomHex, sha256Hex } from "../crypto/crypto.ts";
import { MissingCSRF } from "../errors/errors.ts";
import type { AuthContext, Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";

const TOKEN = /^[0-9a-f]{64}$/;
const PAIR = /^[0-9a-f]{64}\|[0-9a-f]{64}$/;
/** Characters of the half of a token that is random; the other half binds it to a session. */
const RANDOM_LENGTH = 32;
const TOKEN_LENGTH = 64;
// Separate these uses of the secret from every other one (SECURITY.md R3).
const SIGNING_PREFIX = "keyhook csrf ";
const BINDING_PREFIX = "keyhook csrf session ";

function sign(token: string, secret: string): Awaitable<string> {
  return hmacSha256Hex(secret, SIGNING_PREFIX + token);
}

// Auth.js signs with SHA-256(token + secret), several secrets joined by commas: its cookies remain valid in
// the browsers of an application that migrates to Keyhook.
function signLegacy(token: string, secret: string): Awaitable<string> {
  return sha256Hex(token + secret);
}

async function bind(random: string, session: string, secret: string): Promise<string> {
  const mac = await hmacSha256Hex(secret, `${BINDING_PREFIX}${random} ${session}`);
  return mac.slice(0, RANDOM_LENGTH);
}

/** A token of a CSRF cookie, and whether Auth.js has issued it. */
export interface CsrfToken {
  readonly token: string;
  readonly isLegacy: boolean;
}

/** Returns the token of a CSRF cookie (`token|signature`) that was signed under any of the secrets. */
export async function readCsrfCookie(
  cookie: string | undefined,
  secrets: readonly string[],
): Promise<CsrfToken | undefined> {
  const [token = "", signature = "", ...rest] = cookie?.split("|") ?? [];
  if (!TOKEN.test(token) || !TOKEN.test(signature) || rest.length) return undefined;
  const legacy = secrets.length > 1 ? [...secrets, secrets.join(",")] : secrets;
  let isValid = false;
  for (const secret of secrets)
    isValid = timingSafeEqual(await sign(token, secret), signature) || isValid;
  // Which of the two forms a cookie has is not secret: the early return reveals nothing else.
  if (isValid) return { token, isLegacy: false };
  for (const secret of legacy)
    isValid = timingSafeEqual(await signLegacy(token, secret), signature) || isValid;
  return isValid ? { token, isLegacy: true } : undefined;
}

/** Returns the tokens of this browser's valid CSRF cookies: a sibling host may have set some (SECURITY.md R8). */
async function listCsrfTokens({ cookies, kernel }: AuthContext): Promise<CsrfToken[]> {
  const { name } = cookies.spec("csrfToken");
  const found: CsrfToken[] = [];
  for (const cookie of cookies.getCandidates(name, { isLikely: (value) => PAIR.test(value) })) {
    const token = await readCsrfCookie(cookie, kernel.config.secret);
    if (token) found.push(token);
  }
  return found;
}

/** Creates a CSRF token, bound to a session if there is one, and the value of its cookie. */
export async function newCsrfCookie(
  [secret]: readonly [string, ...string[]],
  session?: string,
): Promise<{ token: string; cookie: string }> {
  let token = randomHex(TOKEN_LENGTH / 2);
  if (session !== undefined) {
    const random = token.slice(0, RANDOM_LENGTH);
    token = random + (await bind(random, session, secret));
  }
  return { token, cookie: `${token}|${await sign(token, secret)}` };
}

async function isBoundTo(
  { token }: CsrfToken,
  session: string,
  { kernel }: AuthContext,
): Promise<boolean> {
  const random = token.slice(0, RANDOM_LENGTH);
  let isBound = false;
  for (const secret of kernel.config.secret) {
    const rest = await bind(random, session, secret);
    isBound = timingSafeEqual(rest, token.slice(RANDOM_LENGTH)) || isBound;
  }
  return isBound;
}

// What no browser adds to a request by itself, no other site can make it send.
function needsCsrfTokens({ config, sessionTransport }: Kernel): boolean {
  return !config.skipCSRFCheck && !sessionTransport;
}

/**
 * Resolves to the CSRF token of this browser, and sets a new one if it has none, or none of its session; to
 * `undefined` with `skipCSRFCheck` and without cookies.
 */
export async function issueCsrfToken(ctx: AuthContext): Promise<string | undefined> {
  const { kernel, cookies } = ctx;
  if (!needsCsrfTokens(kernel)) return undefined;
  const { secret } = kernel.config;
  const session = await kernel.strategy.key?.(ctx);
  for (const known of await listCsrfTokens(ctx)) {
    // One of Auth.js is good for the first post: the forms that were open at the move do not break.
    const isOwn = known.isLegacy || session === undefined || (await isBoundTo(known, session, ctx));
    if (isOwn) return known.token;
  }
  const { name, attributes } = cookies.spec("csrfToken");
  const made = await newCsrfCookie(secret, session);
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

// An attacker may have planted the token of another session, or of none.
async function isOfSession(ctx: AuthContext, known: CsrfToken): Promise<boolean> {
  const { strategy } = ctx.kernel;
  const session = await strategy.key?.(ctx);
  if (session === undefined || (await isBoundTo(known, session, ctx))) return true;
  // The cookie may be that of a session that has ended.
  return !(await ctx.session());
}

// The token that Auth.js has issued is bound to no session: it is good for one post, and replaced by it.
async function takeLegacyToken(ctx: AuthContext, { token }: CsrfToken): Promise<boolean> {
  const { name, attributes } = ctx.cookies.spec("csrfToken");
  ctx.cookies.clear(name, attributes);
  return ctx.kernel.useOnce("csrf", token);
}

/**
 * Checks that a request contains this browser's CSRF token in its body or header (double submit cookie), that the
 * token is of the session where there is one, and that the request comes from the public origin. Does nothing
 * with `skipCSRFCheck`, and where no cookie is read.
 * @throws MissingCSRF otherwise.
 */
export async function checkCsrf(ctx: AuthContext): Promise<void> {
  if (!needsCsrfTokens(ctx.kernel)) return;
  if (isCrossOrigin(ctx)) {
    throw new MissingCSRF(
      `The ${ctx.request.method} comes from another origin than the public one. Check that AUTH_URL is the ` +
        "URL that browsers use.",
    );
  }
  const given = ctx.request.headers.get(CSRF_HEADER) ?? (await ctx.body()).csrfToken;
  const sent = await listCsrfTokens(ctx);
  const known = sent.find(
    ({ token }) => typeof given === "string" && timingSafeEqual(given, token),
  );
  const accepts = known?.isLegacy ? takeLegacyToken : isOfSession;
  if (!known || !(await accepts(ctx, known))) {
    throw new MissingCSRF(
      "The CSRF token is missing or does not belong to this browser's cookie and session. Take it from GET " +
        `/csrf and send it as the field \`csrfToken\` or the header \`${CSRF_HEADER}\`.`,
    );
  }
}
