import { createHmac, randomHex, sha256Hex, timingSafeEqual } from "../crypto/crypto.ts";
import { MissingCSRF } from "../errors/errors.ts";
import { all, andThen } from "../platform/awaitable.ts";
import { parseUrl } from "../platform/parse-url.ts";
import type { AuthContext, Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";

const TOKEN = /^[0-9a-f]{64}$/;
const PAIR = /^[0-9a-f]{64}\|[0-9a-f]{64}$/;
/** Number of characters in the random half of a token; the other half binds it to a session. */
const RANDOM_LENGTH = 32;
const TOKEN_LENGTH = 64;
const MAX_NAMED_LENGTH = 100;
// These prefixes separate both uses of the secret from every other one (SECURITY.md R3).
const SIGNING_PREFIX = "keyhook csrf ";
const BINDING_PREFIX = "keyhook csrf session ";

/** A token of a CSRF cookie, and whether Auth.js issued it. */
export interface CsrfToken {
  readonly token: string;
  readonly isLegacy: boolean;
}

/** Creates and reads CSRF cookies under the secrets of an application. */
export interface CsrfCookies {
  /** Returns the token of a CSRF cookie (`token|signature`) that was signed with any of the secrets. */
  read(cookie: string): Promise<CsrfToken | undefined>;
  /** Creates a CSRF token, bound to a session if there is one, and the value of its cookie. */
  create(session?: string): Awaitable<{ token: string; cookie: string }>;
  /** Returns whether a token is bound to a session with any of the secrets. */
  isBound(token: string, session: string): Promise<boolean>;
}

/** The key under which a request's context keeps the CSRF cookies of its application. */
export const CSRF_COOKIES: unique symbol = Symbol("csrf cookies");

const getCookies = (ctx: AuthContext): CsrfCookies =>
  (ctx as AuthContext & { [CSRF_COOKIES]: CsrfCookies })[CSRF_COOKIES];

const getBoundText = (token: string, session: string): string =>
  `${BINDING_PREFIX}${token.slice(0, RANDOM_LENGTH)} ${session}`;

// Compares with every entry, so that the time does not reveal which one matches.
function includes(macs: readonly string[], given: string): boolean {
  let isFound = false;
  for (const mac of macs) isFound = timingSafeEqual(mac, given) || isFound;
  return isFound;
}

/** Creates the CSRF cookies for a list of secrets. Their keys are prepared on first use. */
export function createCsrfCookies(secrets: readonly [string, ...string[]]): CsrfCookies {
  let keys: ReturnType<typeof createHmac>[] | undefined;
  const getKeys = () => (keys ??= secrets.map((secret) => createHmac(secret)));
  const signAll = (text: string): Awaitable<string[]> => all(getKeys().map((sign) => sign(text)));
  const sign = (text: string): Awaitable<string> =>
    (getKeys()[0] as ReturnType<typeof createHmac>)(text);

  const bind = (token: string, session: string): Awaitable<string> =>
    andThen(
      sign(getBoundText(token, session)),
      (mac) => token.slice(0, RANDOM_LENGTH) + mac.slice(0, RANDOM_LENGTH),
    );

  // Auth.js signs with SHA-256(token + secret) and joins several secrets with commas. Its cookies remain valid in
  // browsers when an application migrates to Keyhook.
  const legacy = [...secrets, secrets.join(",")];

  return {
    async read(cookie) {
      const [token = "", signature = "", ...rest] = cookie.split("|");
      if (!TOKEN.test(token) || !TOKEN.test(signature) || rest.length) return undefined;
      // Which of the two forms a cookie has is not secret, so the early return reveals nothing.
      if (includes(await signAll(SIGNING_PREFIX + token), signature)) {
        return { token, isLegacy: false };
      }
      const hashes = await all(legacy.map((secret) => sha256Hex(token + secret)));
      return includes(hashes, signature) ? { token, isLegacy: true } : undefined;
    },
    create(session) {
      const random = randomHex(TOKEN_LENGTH / 2);
      const made = session === undefined ? random : bind(random, session);
      return andThen(made, (token) =>
        andThen(sign(SIGNING_PREFIX + token), (mac) => ({ token, cookie: `${token}|${mac}` })),
      );
    },
    async isBound(token, session) {
      const macs = await signAll(getBoundText(token, session));
      const bound = macs.map((mac) => mac.slice(0, RANDOM_LENGTH));
      return includes(bound, token.slice(RANDOM_LENGTH));
    },
  };
}

function listCsrfCookies({ cookies }: AuthContext): readonly string[] {
  const { name } = cookies.spec("csrfToken");
  return cookies.getCandidates(name, { isLikely: (value) => PAIR.test(value) });
}

/** Returns the tokens of this browser's valid CSRF cookies: a sibling host may have set some (SECURITY.md R8). */
async function listCsrfTokens(ctx: AuthContext): Promise<CsrfToken[]> {
  const tokens = await Promise.all(listCsrfCookies(ctx).map(getCookies(ctx).read));
  return tokens.filter((token) => token !== undefined);
}

// Without cookies no token is needed: another site cannot make a browser send credentials that it does not add by
// itself.
function needsCsrfTokens({ config, sessionTransport }: Kernel): boolean {
  return !config.skipCSRFCheck && !sessionTransport;
}

function createToken(ctx: AuthContext, session: string | undefined): Awaitable<string> {
  const { name, attributes } = ctx.cookies.spec("csrfToken");
  return andThen(getCookies(ctx).create(session), ({ token, cookie }) => {
    ctx.cookies.set(name, cookie, attributes);
    return token;
  });
}

async function keepToken(ctx: AuthContext, session: string | undefined): Promise<string> {
  for (const { token, isLegacy } of await listCsrfTokens(ctx)) {
    // A token of Auth.js is valid for the first post, so that forms that were open during the migration still work.
    const isOwn =
      isLegacy || session === undefined || (await getCookies(ctx).isBound(token, session));
    if (isOwn) return token;
  }
  return createToken(ctx, session);
}

/**
 * Returns the CSRF token of this browser. Sets a new one if the browser has none, or none of its session. Returns
 * `undefined` with `skipCSRFCheck` and without cookies.
 */
export function issueCsrfToken(ctx: AuthContext): Awaitable<string | undefined> {
  const { kernel } = ctx;
  if (!needsCsrfTokens(kernel)) return undefined;
  // A first visit has no cookie to check, so it awaits nothing.
  return andThen(kernel.strategy.key?.(ctx), (session) =>
    (listCsrfCookies(ctx).length ? keepToken : createToken)(ctx, session),
  );
}

// Checks the origin that browsers send: a second defense in case a token has leaked. Returns the name of a foreign
// origin for the log, bounded because a visitor wrote the header.
function findForeignOrigin(ctx: AuthContext): string | undefined {
  const { headers } = ctx.request;
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const stated = origin && origin !== ctx.origin ? parseUrl(origin)?.origin : undefined;
  const name = stated?.slice(0, MAX_NAMED_LENGTH) ?? "another site";
  if (site === "cross-site") return name;
  if (origin && origin !== "null") return origin === ctx.origin ? undefined : name;
  return site === null || site === "same-origin" || site === "none" ? undefined : name;
}

/** The request header that may contain the CSRF token instead of the body's field `csrfToken`. */
const CSRF_HEADER = "x-csrf-token";

// An attacker may have planted a token of another session, or one that belongs to no session.
async function isOfSession(ctx: AuthContext, known: CsrfToken): Promise<boolean> {
  const { strategy } = ctx.kernel;
  const session = await strategy.key?.(ctx);
  if (session === undefined || (await getCookies(ctx).isBound(known.token, session))) return true;
  // The cookie may belong to a session that has ended.
  return !(await ctx.session());
}

// A token that Auth.js issued is bound to no session. It is valid for one post and then replaced.
async function takeLegacyToken(ctx: AuthContext, { token }: CsrfToken): Promise<boolean> {
  const { name, attributes } = ctx.cookies.spec("csrfToken");
  ctx.cookies.clear(name, attributes);
  return ctx.kernel.useOnce("csrf", token);
}

/**
 * Checks that a request contains this browser's CSRF token in its body or header (double submit cookie), and that it
 * comes from the public origin. If there is a session, the token must belong to it. Does nothing with `skipCSRFCheck`
 * or if no cookie is read.
 * @throws MissingCSRF otherwise.
 */
export async function checkCsrf(ctx: AuthContext): Promise<void> {
  if (!needsCsrfTokens(ctx.kernel)) return;
  const origin = findForeignOrigin(ctx);
  if (origin !== undefined) {
    throw new MissingCSRF(
      `The ${ctx.request.method} comes from ${origin}, not from ${ctx.origin}. If that is this site, set AUTH_URL to the URL ` +
        "that browsers use, or let the proxy keep the Host header (`changeOrigin: false`).",
    );
  }
  const given = ctx.request.headers.get(CSRF_HEADER) ?? (await ctx.body()).csrfToken;
  const sent = await listCsrfTokens(ctx);
  const known = sent.find(
    ({ token }) => typeof given === "string" && timingSafeEqual(given, token),
  );
  const accepts = known?.isLegacy ? takeLegacyToken : isOfSession;
  if (!known || !(await accepts(ctx, known))) {
    // A page whose server renders the form cannot set the cookie, so its next form gets the token from here.
    await issueCsrfToken(ctx);
    throw new MissingCSRF(
      "The CSRF token is missing or not of this session. Send the token of GET /csrf as the field " +
        `\`csrfToken\` or the header \`${CSRF_HEADER}\`.`,
    );
  }
}
