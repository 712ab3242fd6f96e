import { andThen, getStoredUsers, orElse } from "../../../src/_kit.ts";
import { JWTSessionError, MissingUserId, PluginError, SignOutError } from "../../../src/errors.ts";
import {
  type AuthContext,
  type Awaitable,
  callHook,
  type CurrentSession,
  isTrusted,
  type JWT,
  type JWTParams,
  type Kernel,
  type Login,
  type Session,
  type SessionParams,
  type SignOutMessage,
  type Strategy,
  type User,
} from "../../../src/kernel.ts";
import {
  describeSignIn,
  getOwner,
  MAX_FIELD_LENGTH,
  toClaims,
  withOwner,
  withSignIn,
} from "./claims.ts";
import {
  blameClient,
  clearToken,
  findToken,
  openToken,
  listTokens,
  type Stored,
  writeToken,
} from "./cookie.ts";
import { trackSession, noteEnded, type TrackedSession } from "./ended.ts";
import { getEnd, getTimes, isDated, type Times } from "./times.ts";

const UNDATED =
  "Without an adapter, session tokens contain the sign-in time only if a route or an option needs it. Set " +
  '`auth: "fresh"` on the route, or `session.absoluteMaxAge`.';

/** What keeps a session in addition to its cookie (strategy `hybrid`). */
export interface Backing {
  /** Stores the session of a sign-in. Without a token there is no session. */
  create(ctx: AuthContext, login: Login, token: JWT | null): Promise<StoredSession>;
  /**
   * Checks whether the session of a token still lasts. Resolves to the token, to a new token if its claims have
   * changed, or to `null`.
   */
  check(ctx: AuthContext, token: JWT): Awaitable<JWT | null>;
}

/** A session that was stored at a sign-in. */
export interface StoredSession {
  /** The claims that refer to the stored session. */
  readonly claims: JWT;
  /** Called when the cookie is set. */
  done(): Promise<void>;
}

interface Checked extends Stored {
  /** Whether the token has other claims than its cookie. */
  readonly isRenewed?: boolean;
}

function withToken(stored: Checked, token: JWT | null): Checked | null {
  if (!token || Object.is(token, stored.token)) return token && stored;
  return { ...stored, token, isRenewed: true };
}

function lookUp(ctx: AuthContext, stored: Stored, backing?: Backing): Awaitable<Checked | null> {
  if (!backing) return stored;
  return andThen(backing.check(ctx, stored.token), (token) => withToken(stored, token));
}

function check(ctx: AuthContext, stored: Stored, backing?: Backing): Awaitable<Checked | null> {
  const { kernel } = ctx;
  return andThen(lookUp(ctx, stored, backing), (checked) => {
    const users = checked && getStoredUsers(kernel);
    if (!users) return checked;
    const isDue = () => getTimes(checked.token, kernel).due;
    const owned = users.checkOwner(kernel, checked.token, isDue);
    return owned.then((token) => withToken(checked, token));
  });
}

// An error of a tap is reported and the cookie stays, because the next read may succeed (SECURITY.md F27).
function runHook<T>(hook: string, run: () => Awaitable<T>): Awaitable<T> {
  return orElse(run, (error): never => {
    const text = `A tap of the \`${hook}\` hook threw; the session was kept.`;
    throw new JWTSessionError(text, { cause: { err: error as Error } });
  });
}

/** What is known of a token before the `jwt` hook, whose taps may change the token in place. */
interface Loaded extends Checked {
  readonly times: Times;
  readonly before: JWT;
}

/** A token as the `jwt` hook returned it, and the end of its session. */
interface Live {
  token: JWT;
  ends: number;
  /** The session, if the cookie was written again. */
  renewed?: TrackedSession;
}

type Pass = (stored: Stored) => Awaitable<Live | null>;

// Passes the browser's token through the `jwt` hook if it still belongs to its user, and writes it again if that is due
// or the hook changed it.
function renew(
  ctx: AuthContext,
  params: JWTParams,
  backing: Backing | undefined,
): Awaitable<Live | null> {
  const { jwt } = ctx.kernel.hooks;
  const pass: Pass = (one) =>
    andThen(check(ctx, one, backing), (stored) => {
      if (!stored) return null;
      const { token: own } = stored;
      const before = jwt.isUsed() ? { ...own } : own;
      const loaded = { ...stored, times: getTimes(own, ctx.kernel), before };
      const shaped = runHook("jwt", () => callHook(jwt, own, params, ctx));
      return andThen(shaped, (token) => (token ? keep(ctx, loaded, token, params) : null));
    });
  return andThen(findToken(ctx), (stored) =>
    andThen(stored ? pass(stored) : null, (live) => live ?? drop(ctx, stored, pass)),
  );
}

// An invalid cookie never causes an error, and is cleared unless there are several. Then another one may be the
// session, and clearing a sibling host's cookie would remove the application's too (SECURITY.md R8).
function drop(
  ctx: AuthContext,
  ended: Stored | null | undefined,
  pass: Pass,
): Awaitable<null | Live> {
  const { name } = ctx.cookies.spec("sessionToken");
  if (!ctx.cookies.getChunked(name)) return null;
  if (ctx.cookies.isRepeated(name)) return passOther(ctx, ended, pass);
  clearToken(ctx);
  return null;
}

async function passOther(
  ctx: AuthContext,
  ended: Stored | null | undefined,
  pass: Pass,
): Promise<Live | null> {
  for (const one of await listTokens(ctx)) {
    const live = one.json === ended?.json ? null : await pass(one);
    if (live) return live;
  }
  return null;
}

// Objects are compared as JSON: a tap may have changed an object in place, which changes `before` too.
function isSame(token: JWT, { before, json }: Loaded): boolean {
  const names = Object.keys(token);
  if (names.some((name) => Object(token[name]) === token[name]))
    return JSON.stringify(token) === json;
  const isEqual = (name: string) => token[name] === before[name];
  return names.every(isEqual) && Object.keys(before).every(isEqual);
}

function keep(
  ctx: AuthContext,
  stored: Loaded,
  token: JWT,
  { trigger }: JWTParams,
): Awaitable<Live> {
  const { kernel } = ctx;
  const { times, before, isRenewed } = stored;
  const isChanged = kernel.hooks.jwt.isUsed() && !isSame(token, stored);
  const isOfClient = trigger === "update" && !isTrusted(ctx);
  const owned = isOfClient ? withOwner(token, before) : token;
  // An unchanged token keeps its claims as they are.
  const kept = isChanged ? withSignIn(owned, before) : token;
  const live = { token: kept, ends: times.due ? getEnd(before, kernel) : times.ends };
  if (!times.due && !isChanged && !isRenewed && !trigger) return live;
  return trackSession(ctx, stored).then(async (session) => {
    if (session.hasEnded()) return live;
    await session.noteRenewal(await writeToken(ctx, kept, times.due ? undefined : times));
    return { ...live, renewed: session };
  });
}

// Builds the session that the client receives, or returns `null` if a tap of the `session` hook returns `null`.
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

// The session may have ended while taps of `session` ran. Its cookie, which was written before, must then not be sent.
function buildUnlessEnded(
  ctx: AuthContext,
  live: Live | null,
  params?: SessionParams,
): Awaitable<Session | null> {
  const { renewed } = live ?? {};
  const built = buildSession(ctx, live, params);
  if (!renewed) return built;
  return andThen(built, (session) => {
    if (!renewed.hasEnded()) return session;
    clearToken(ctx);
    return null;
  });
}

// `GET /session` also serves a session whose token has no `sub`. Code that needs the id fails.
function toCurrent(session: Session, token: JWT): CurrentSession {
  const { sub } = token;
  if (typeof sub === "string" && sub !== "") return { id: sub, session, token };
  return {
    get id(): string {
      throw new MissingUserId(
        "The session's token has no `sub`, which identifies the user. Keep `sub` in the `jwt` callback and in taps of " +
          "`jwt`, and return users with an `id` from flows.",
      );
    },
    session,
    token,
  };
}

/** Creates a strategy that keeps sessions in an encrypted cookie, and in `backing` if given. */
export function createTokenStrategy(kernel: Kernel, backing?: Backing): Strategy {
  const reported = new Set<string>();
  const reportLongField = (name: string) => {
    if (reported.has(name)) return;
    reported.add(name);
    const text =
      `The \`${name}\` of a user has more than ${MAX_FIELD_LENGTH} characters: session tokens leave it out. Return a ` +
      "shorter one from `profile`, such as the URL of an image.";
    kernel.logger.warn("profile-large", text);
  };
  return {
    async create(ctx, login) {
      const { user, account, profile, emailVerified, isNewUser } = login;
      const fresh = toClaims(user, reportLongField);
      const params: JWTParams = {
        user,
        account,
        ...(profile && { profile }),
        ...(emailVerified !== undefined && { emailVerified }),
        ...(isNewUser !== undefined && { isNewUser }),
        trigger: isNewUser ? "signUp" : "signIn",
      };
      const token = await callHook(ctx.kernel.hooks.jwt, fresh, params, ctx);
      const known = describeSignIn(ctx, login);
      const kept = token ? withSignIn(token, known) : null;
      const stored = await backing?.create(ctx, login, kept);
      return async () => {
        if (kept) await writeToken(ctx, { ...kept, ...stored?.claims });
        else clearToken(ctx);
        await stored?.done();
      };
    },
    read: (ctx) =>
      andThen(renew(ctx, {}, backing), (live) =>
        andThen(
          buildUnlessEnded(ctx, live),
          (session) => live && session && toCurrent(session, live.token),
        ),
      ),
    async update(ctx, data) {
      const live = await orElse(
        () => renew(ctx, { trigger: "update", session: data }, backing),
        (error): never => {
          throw isTrusted(ctx) ? error : blameClient(error);
        },
      );
      return buildUnlessEnded(ctx, live, { newSession: data, trigger: "update" });
    },
    async current(ctx) {
      const { token } = (await ctx.session()) ?? {};
      const { sub, name, email, picture } = token ?? {};
      if (!token || !sub) return null;
      const users = getStoredUsers(ctx.kernel);
      if (users) return users.getOwner(ctx.kernel, token);
      return { id: sub, name, email, image: picture } as User;
    },
    async authTime(ctx) {
      if (!isDated(ctx.kernel)) throw new PluginError(UNDATED);
      const { token } = (await ctx.session()) ?? {};
      return typeof token?.auth_time === "number" ? token.auth_time : undefined;
    },
    async destroy(ctx): Promise<SignOutMessage | undefined> {
      await noteEnded(ctx);
      const { name } = ctx.cookies.spec("sessionToken");
      const [cookie, ...others] = ctx.cookies.getCandidates(name);
      const ended = others.length ? await findToken(ctx) : undefined;
      clearToken(ctx);
      if (!cookie) return undefined;
      if (others.length) return { token: ended?.token ?? null };
      try {
        return { token: (await openToken(ctx, cookie))?.token ?? null };
      } catch (error) {
        const text = "The token of the ended session could not be read.";
        ctx.log.error(new SignOutError(text, { cause: { err: error as Error } }));
        return { token: null };
      }
    },
    key: (ctx) =>
      andThen(findToken(ctx), (found) => {
        const owner = found && getOwner(found.token);
        if (owner === undefined) return undefined;
        return JSON.stringify([owner, found?.token.auth_time ?? null]);
      }),
    async isAmbiguous(ctx) {
      const { name } = ctx.cookies.spec("sessionToken");
      if (!ctx.cookies.isRepeated(name)) return false;
      const owners = (await listTokens(ctx)).map(({ token, json }) => getOwner(token) ?? json);
      return new Set(owners).size > 1;
    },
  };
}
