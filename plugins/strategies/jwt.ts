import {
  andThen,
  compareStart,
  isSealed,
  loadStoredUsers,
  opensUsers,
  orElse,
  ORIGIN_CLAIM as ORIGIN,
} from "../../src/_kit.ts";
import {
  JWTSessionError,
  MissingUserId,
  PluginError,
  SessionTooLarge,
  SignOutError,
} from "../../src/errors.ts";
import {
  type Adapter,
  type AuthContext,
  type Awaitable,
  callHook,
  type CurrentSession,
  definePlugin,
  isTrusted,
  type JWT,
  type JWTParams,
  type Kernel,
  type Plugin,
  type Session,
  type SessionParams,
  type SignOutMessage,
  type User,
} from "../../src/kernel.ts";

interface Stored {
  token: JWT;
  /** The payload as JSON, to detect whether a tap changed it. */
  json: string;
}

/** What is known of a token before the `jwt` hook. */
interface Loaded extends Stored {
  readonly times: Times;
}

interface Times {
  /** Seconds since the epoch at which the token ends. */
  exp: number;
  /** Seconds since the epoch at which the session ends. */
  ends: number;
  /** Whether `updateAge` has passed since the last extension. */
  due: boolean;
}

/** Characters of a token from which on it is warned about: common proxies refuse a header of 8 kB. */
const LARGE_TOKEN_LENGTH = 7500;
/** Characters of a field of the profile that is kept in a token. */
const MAX_FIELD_LENGTH = 2048;

// Seconds; the maximum of a Date.
const MAX_DATE_S = 8.64e12;

const now = () => Date.now() / 1000;

// The last extension is derived from `exp`: `iat` changes whenever a tap changes the token. Where `exp` is the end that no
// extension exceeds, only `iat` is left.
function getTimes(token: JWT, kernel: Kernel): Times {
  const { session, jwt } = kernel.config;
  const iat = typeof token.iat === "number" ? token.iat : now();
  const exp = typeof token.exp === "number" ? token.exp : iat + jwt.maxAge;
  const last = getAbsoluteEnd(token, kernel);
  const extended = exp === last ? iat : Math.min(exp - jwt.maxAge, iat);
  const ends = Math.min(exp, extended + session.maxAge, last ?? Infinity);
  return {
    exp,
    ends,
    // A token without a start is not extended, and neither is one that ends as late as it may.
    due: extended + session.updateAge <= now() && last !== undefined && (ends < last || exp > last),
  };
}

// The end that no extension exceeds; `undefined` if it is unknown.
function getAbsoluteEnd({ auth_time: began }: JWT, kernel: Kernel): number | undefined {
  const { absoluteMaxAge } = kernel.config.session;
  if (absoluteMaxAge === undefined) return Infinity;
  return typeof began === "number" ? Math.floor(began) + absoluteMaxAge : undefined;
}

function getEnd(token: JWT, kernel: Kernel): number {
  const { session, jwt } = kernel.config;
  const idle = Math.floor(now()) + Math.min(session.maxAge, jwt.maxAge);
  return Math.min(idle, getAbsoluteEnd(token, kernel) ?? Infinity);
}

const UNDATED =
  "Without an adapter, session tokens state no time of the sign-in, as those of Auth.js, unless a route needs it. Set " +
  '`auth: "fresh"` on the route.';

// Whether session tokens state when they began, which those of Auth.js do not.
function isDated({ config, adapter, routes }: Kernel): boolean {
  if (adapter || config.session.absoluteMaxAge !== undefined) return true;
  return [...routes.values()].some(({ auth }) => auth === "fresh");
}

/** The claim with `Login.emailVerified`. Not `email_verified`: applications keep that of the profile in their tokens. */
const VERIFIED = "keyhook.email_verified";

// The claims of a new session. Of a picture as `data:` URL alone there would be no room for the rest.
function toClaims({ name, email, image, id }: User, reportLongField: (name: string) => void): JWT {
  const claims: JWT = {};
  for (const [claim, value] of Object.entries({ name, email, picture: image })) {
    if (value === undefined) continue;
    if (typeof value === "string" && value.length > MAX_FIELD_LENGTH) reportLongField(claim);
    else claims[claim] = value;
  }
  if (id !== undefined) claims.sub = String(id);
  return claims;
}

// Keeps what was known at the sign-in, which a tap that returns a new token must neither remove nor state: data of the
// client may be in it.
function withSignIn(claims: JWT, known: JWT): JWT {
  if (claims === known) return claims;
  const { auth_time: began, [VERIFIED]: verified, [ORIGIN]: origin } = known;
  const { auth_time: _, [VERIFIED]: __, [ORIGIN]: ___, ...rest } = claims;
  return {
    ...rest,
    ...(typeof began === "number" && { auth_time: began }),
    ...(typeof verified === "boolean" && { [VERIFIED]: verified }),
    ...(typeof origin === "string" && { [ORIGIN]: origin }),
  };
}

// A callback that merges the data of `POST /session` into the token lets the client write every claim: whose session it
// is stays as it was. The application's own `auth.update` may change it.
function withOwner(token: JWT, { sub }: JWT): JWT {
  if (token.sub === sub) return token;
  const { sub: _, ...rest } = token;
  return sub === undefined ? rest : { ...rest, sub };
}

// Whether the address of the token's user was proved, or was given to its owner, since the sign-in: then it is not
// the owner who has this session (SECURITY.md R5). Only users whose address was not verified are looked up.
async function isSuperseded(
  { kernel }: AuthContext,
  adapter: Adapter,
  token: JWT,
): Promise<boolean> {
  const { sub, email, iat, auth_time: began, [VERIFIED]: verified } = token;
  if (verified === true || !sub || !adapter.getUser) return false;
  if (verified === undefined && !opensUsers(kernel)) return false;
  const user = await (await loadStoredUsers(kernel))?.getUser(adapter, sub);
  if (!user) return false;
  if (email && !user.email) return true;
  // Auth.js states no `auth_time`: its tokens were issued before the proof or after it.
  return Boolean(user.emailVerified) && (began !== undefined || Number(iat) < getVerifiedAt(user));
}

// Returns since when, in seconds, sessions belong to the user who verified the address; 0 if it is
// not verified.
function getVerifiedAt({ emailVerified }: User & { emailVerified?: unknown }): number {
  return Math.ceil(new Date((emailVerified as Date | null | undefined) ?? 0).getTime() / 1000) || 0;
}

function decode(ctx: AuthContext, cookie: string): Awaitable<Stored | null> {
  return andThen(open(ctx, cookie), (stored) => {
    if (stored && ctx.kernel.config.jwt.bindOrigin && stored.token[ORIGIN] !== ctx.origin) {
      throw new JWTSessionError("The token was issued for another origin (`jwt.bindOrigin`).");
    }
    return stored;
  });
}

// On Node a token is opened at once: nothing up to `read` awaits what is there already.
function open(ctx: AuthContext, cookie: string): Awaitable<Stored | null> {
  const { config, tokens } = ctx.kernel;
  const { name: salt } = ctx.cookies.spec("sessionToken");
  const params = { token: cookie, secret: config.jwt.secret, salt };
  if (config.jwt.decode) {
    const decoded = config.jwt.decode(params);
    return andThen(decoded, (token) => token && { token, json: JSON.stringify(token) });
  }
  const read = tokens.read(params);
  return andThen(read, (found) => found && { token: found.payload, json: found.json });
}

function readToken(ctx: AuthContext, cookie: string): Awaitable<Stored | null> {
  const check = (stored: Stored | null): Stored | null => {
    const ends = stored ? getTimes(stored.token, ctx.kernel).ends : 0;
    return ends > now() && ends < MAX_DATE_S ? stored : null;
  };
  return orElse(
    () => andThen(decode(ctx, cookie), check),
    (error) => {
      ctx.log.debug("a session cookie was dropped", { reason: (error as Error).message });
      return null;
    },
  );
}

const isAny = () => true;

// Whose session it is, as far as the token states that.
const getOwner = ({ token }: Stored): unknown => token.sub ?? token.email ?? undefined;

function listCookies({ cookies, kernel }: AuthContext): readonly string[] {
  const { name } = cookies.spec("sessionToken");
  return cookies.getCandidates(name, { isLikely: kernel.config.jwt.decode ? isAny : isSealed });
}

// Opens every cookie of the name, whole or in parts: a sibling host may have set some of them (SECURITY.md R8).
async function openAll(ctx: AuthContext, cookies = listCookies(ctx)): Promise<Stored[]> {
  const opened: Stored[] = [];
  for (const cookie of cookies) {
    const stored = await readToken(ctx, cookie);
    if (stored) opened.push(stored);
  }
  return opened;
}

// Of several sessions, the one that began first: a sibling host has set the others.
function find(ctx: AuthContext): Awaitable<Stored | null | undefined> {
  const cookies = listCookies(ctx);
  const [cookie] = cookies;
  if (cookie === undefined) return undefined;
  return andThen(readToken(ctx, cookie), (stored) => {
    // Nearly all requests: where every part came once, the other candidates are what this one begins with.
    const { name } = ctx.cookies.spec("sessionToken");
    if (cookies.length === 1 || (stored && !ctx.cookies.isRepeated(name))) return stored;
    return findFirst(ctx, cookies);
  });
}

async function findFirst(
  ctx: AuthContext,
  cookies: readonly string[],
): Promise<Stored | undefined> {
  const opened = await openAll(ctx, cookies);
  return opened.sort((one, other) => compareStart(one.token, other.token))[0];
}

// Loads the browser's token if it is valid, and still its user's. An invalid cookie never causes an error, and is cleared unless
// several came: a sibling host's would take the application's with it (SECURITY.md R8).
function load(ctx: AuthContext): Awaitable<Stored | null> {
  const { adapter } = ctx.kernel;
  const drop = (): null => {
    const { name } = ctx.cookies.spec("sessionToken");
    if (ctx.cookies.getChunked(name) && !ctx.cookies.isRepeated(name)) clearCookie(ctx);
    return null;
  };
  return andThen(find(ctx), (stored) => {
    if (!stored) return drop();
    if (!adapter) return stored;
    return isSuperseded(ctx, adapter, stored.token).then((isOver) => (isOver ? drop() : stored));
  });
}

function checkSize(ctx: AuthContext, { length }: string): void {
  const { maxSize } = ctx.kernel.config.jwt;
  const { name } = ctx.cookies.spec("sessionToken");
  if (length > maxSize && length > (ctx.cookies.getChunked(name)?.length ?? 0)) {
    throw new SessionTooLarge(
      `The session token has ${length} characters, more than \`jwt.maxSize\`: servers refuse such requests. Return fewer ` +
        "claims from the `jwt` callback, or use database sessions.",
    );
  }
  if (length > LARGE_TOKEN_LENGTH) {
    const text =
      "The session token needs several cookies, and many servers refuse headers of that size. Keep less in the `jwt` callback.";
    ctx.log.warn("session-large", text);
  }
}

// `times` is given when the session is not extended: then the token keeps its own end too.
async function store(ctx: AuthContext, token: JWT, times?: Times): Promise<void> {
  const { config, tokens } = ctx.kernel;
  const { name: salt, attributes } = ctx.cookies.spec("sessionToken");
  // Whole seconds on both sides: a token that is stored often must keep its end to the second.
  const seconds = Math.floor(now());
  const exp = times ? Math.floor(times.exp) : seconds + config.jwt.maxAge;
  // What reads tokens elsewhere, such as `getToken`, knows no `absoluteMaxAge`.
  const last = getAbsoluteEnd(token, ctx.kernel) ?? Infinity;
  const maxAge = Math.max(1, Math.min(exp, last) - seconds);
  const params = { token, secret: config.jwt.secret, salt, maxAge };
  const value = await (config.jwt.encode ?? tokens.encode)(params);
  checkSize(ctx, value);
  const ends = times?.ends ?? getEnd(token, ctx.kernel);
  ctx.cookies.setChunked(salt, value, { ...attributes, expires: new Date(ends * 1000) });
}

function clearCookie(ctx: AuthContext): void {
  const { name, attributes } = ctx.cookies.spec("sessionToken");
  ctx.cookies.clearChunked(name, attributes);
}

// An error of a tap is reported, and the cookie stays: the next read may succeed (SECURITY.md F27).
function runHook<T>(hook: string, run: () => Awaitable<T>): Awaitable<T> {
  return orElse(run, (error): never => {
    const text = `A tap of the \`${hook}\` hook threw; the session was kept.`;
    throw new JWTSessionError(text, { cause: { err: error as Error } });
  });
}

/** A token as the `jwt` hook returned it, and the end of its session. */
interface Live {
  token: JWT;
  ends: number;
}

// Passes the browser's token through the `jwt` hook, and writes it again if that is due or the hook
// changed it.
function renew(ctx: AuthContext, params: JWTParams = {}): Awaitable<Live | null> {
  const { jwt } = ctx.kernel.hooks;
  return andThen(load(ctx), (stored) => {
    if (!stored) return null;
    // A tap may change the token in place.
    const loaded = { ...stored, times: getTimes(stored.token, ctx.kernel) };
    const shaped = runHook("jwt", () => callHook(jwt, stored.token, params, ctx));
    return andThen(shaped, (token) => {
      if (token) return keep(ctx, loaded, token, params);
      clearCookie(ctx);
      return null;
    });
  });
}

function keep(
  ctx: AuthContext,
  stored: Loaded,
  token: JWT,
  { trigger }: JWTParams,
): Awaitable<Live> {
  const { kernel } = ctx;
  const { times } = stored;
  const isChanged = kernel.hooks.jwt.isUsed() && JSON.stringify(token) !== stored.json;
  const isOfClient = trigger === "update" && !isTrusted(ctx);
  const owned = isOfClient ? withOwner(token, stored.token) : token;
  const kept = withSignIn(owned, stored.token);
  const live = { token: kept, ends: times.due ? getEnd(stored.token, kernel) : times.ends };
  if (times.due) return store(ctx, kept).then(() => live);
  if (isChanged || trigger) return store(ctx, kept, times).then(() => live);
  return live;
}

// Builds the session that the client receives; `null` if a tap of the `session` hook returns
// `null`.
function buildSession(
  ctx: AuthContext,
  live: Live | null,
  params: SessionParams = {},
): Awaitable<Session | null> {
  if (!live) return null;
  const { token, ends } = live;
  const { name, email, picture } = token;
  const user = { name, email, image: picture } as User;
  const base: Session = { user, expires: new Date(ends * 1000).toISOString() };
  const { hooks } = ctx.kernel;
  const shaped = runHook("session", () => callHook(hooks.session, base, { token, ...params }, ctx));
  return andThen(shaped, (session) => {
    if (!session) return null;
    return andThen(ctx.kernel.emit("session", { session, token }, ctx), () => session);
  });
}

// `GET /session` also serves a session whose token has no `sub`; what needs the id fails.
function toCurrent(session: Session, token: JWT): CurrentSession {
  const { sub } = token;
  if (typeof sub === "string" && sub !== "") return { id: sub, session, token };
  return {
    get id(): string {
      throw new MissingUserId(
        "The session does not state whose it is: its token has no `sub`. Keep `sub` in the `jwt` callback " +
          "and in taps of `jwt`, and return users with an `id` from flows.",
      );
    },
    session,
    token,
  };
}

/** Returns the plugin for sessions in an encrypted cookie; nothing is stored on the server. */
export function jwtStrategy(): Plugin {
  return definePlugin({
    name: "strategies/jwt",
    provides: ["strategy:jwt"],
    setup(kernel) {
      const reported = new Set<string>();
      const reportLongField = (name: string) => {
        if (reported.has(name)) return;
        reported.add(name);
        const text =
          `The \`${name}\` of a user has more than ${MAX_FIELD_LENGTH} characters, and is left out of session tokens. ` +
          "Return a shorter one from `profile`, such as the URL of an image instead of the image.";
        kernel.logger.warn("profile-large", text);
      };
      kernel.addStrategy("jwt", {
        async create(ctx, { user, account, profile, isNewUser, emailVerified }) {
          const fresh = toClaims(user, reportLongField);
          const params: JWTParams = {
            user,
            account,
            ...(profile && { profile }),
            ...(isNewUser !== undefined && { isNewUser }),
            trigger: isNewUser ? "signUp" : "signIn",
          };
          const token = await callHook(ctx.kernel.hooks.jwt, fresh, params, ctx);
          // A session that starts with the verification of the address must not begin before it.
          const began = isDated(ctx.kernel)
            ? Math.max(Math.floor(now()), getVerifiedAt(user))
            : undefined;
          const known = {
            ...(began !== undefined && { auth_time: began }),
            ...(ctx.kernel.adapter && emailVerified !== undefined && { [VERIFIED]: emailVerified }),
            ...(ctx.kernel.config.jwt.bindOrigin && { [ORIGIN]: ctx.origin }),
          };
          return () => (token ? store(ctx, withSignIn(token, known)) : clearCookie(ctx));
        },
        read: (ctx) =>
          andThen(renew(ctx), (live) =>
            andThen(
              buildSession(ctx, live),
              (session) => live && session && toCurrent(session, live.token),
            ),
          ),
        async update(ctx, data) {
          const live = await renew(ctx, { trigger: "update", session: data });
          return buildSession(ctx, live, { newSession: data, trigger: "update" });
        },
        async current(ctx) {
          const { token } = (await ctx.session()) ?? {};
          const { sub, name, email, picture, iat, auth_time: began = iat } = token ?? {};
          if (!sub) return null;
          const { adapter } = ctx.kernel;
          if (!adapter) return { id: sub, name, email, image: picture } as User;
          const user = await (await loadStoredUsers(ctx.kernel))?.getUser(adapter, sub);
          // The session may belong to another user, who signed in before the owner verified the
          // address (SECURITY.md R5). No write ended that session, but it gets no more access.
          return user && Number(began) >= getVerifiedAt(user) ? user : null;
        },
        async authTime(ctx) {
          if (!isDated(ctx.kernel)) throw new PluginError(UNDATED);
          const { token } = (await ctx.session()) ?? {};
          return typeof token?.auth_time === "number" ? token.auth_time : undefined;
        },
        async destroy(ctx): Promise<SignOutMessage | undefined> {
          const { name } = ctx.cookies.spec("sessionToken");
          const [cookie, ...others] = ctx.cookies.getCandidates(name);
          const ended = others.length ? await find(ctx) : undefined;
          clearCookie(ctx);
          if (!cookie) return undefined;
          if (others.length) return { token: ended?.token ?? null };
          try {
            return { token: (await decode(ctx, cookie))?.token ?? null };
          } catch (error) {
            const text = "The token of the ended session could not be read.";
            ctx.log.error(new SignOutError(text, { cause: { err: error as Error } }));
            return { token: null };
          }
        },
        async key(ctx) {
          const found = await find(ctx);
          const owner = found && getOwner(found);
          if (owner === undefined) return undefined;
          return JSON.stringify([owner, found?.token.auth_time ?? null]);
        },
        async isAmbiguous(ctx) {
          const { name } = ctx.cookies.spec("sessionToken");
          if (!ctx.cookies.isRepeated(name)) return false;
          return new Set((await openAll(ctx)).map((one) => getOwner(one) ?? one.json)).size > 1;
        },
      });
    },
  });
}
