import {
  type AuthContext,
  type Awaitable,
  ask,
  callAdapter,
  definePlugin,
  type JWT,
  type JWTParams,
  JWTSessionError,
  type Kernel,
  type Plugin,
  type Session,
  type SessionParams,
  type SignOutMessage,
  SignOutError,
  type User,
} from "../../src/index.ts";

interface Stored {
  token: JWT;
  /** The payload's text, to see whether a tap changed it. */
  json: string;
}

interface Times {
  /** Seconds since the epoch at which the token ends. */
  exp: number;
  /** Seconds since the epoch at which the session ends. */
  ends: number;
  /** Whether `updateAge` has passed since the last extension. */
  due: boolean;
}

// Characters: three cookies. Node refuses requests with more than 16 kB of headers.
const LARGE = 12_000;

// Seconds: what a Date can hold.
const END_OF_DATES = 8.64e12;

const now = () => Date.now() / 1000;

// The last extension is told by `exp`: `iat` moves whenever a tap changes the token.
function timesOf(token: JWT, kernel: Kernel): Times {
  const { session, jwt } = kernel.config;
  const iat = typeof token.iat === "number" ? token.iat : now();
  const exp = typeof token.exp === "number" ? token.exp : iat + jwt.maxAge;
  const extended = Math.min(exp - jwt.maxAge, iat);
  const last = lastOf(token, kernel);
  return {
    exp,
    ends: Math.min(exp, extended + session.maxAge, last ?? Infinity),
    // One that does not say when it began is not given more than it has.
    due: extended + session.updateAge <= now() && last !== undefined,
  };
}

// The end that no extension goes beyond; `undefined` when it is not known.
function lastOf({ auth_time: began }: JWT, kernel: Kernel): number | undefined {
  const { absoluteMaxAge } = kernel.config.session;
  if (absoluteMaxAge === undefined) return Infinity;
  return typeof began === "number" ? began + absoluteMaxAge : undefined;
}

function endOf(token: JWT, kernel: Kernel): number {
  const { session, jwt } = kernel.config;
  const idle = Math.floor(now()) + Math.min(session.maxAge, jwt.maxAge);
  return Math.min(idle, lastOf(token, kernel) ?? Infinity);
}

// A tap may make a new token; when the session began is not for it to forget.
function since(token: JWT, began: unknown): JWT {
  return typeof began === "number" ? { ...token, auth_time: began } : token;
}

// Seconds: from when on sessions are those of whoever has proved the address; 0 while nobody has.
function provedAt({ emailVerified }: User & { emailVerified?: unknown }): number {
  return Math.ceil(new Date((emailVerified as Date | null | undefined) ?? 0).getTime() / 1000) || 0;
}

async function decode(ctx: AuthContext, cookie: string): Promise<Stored | null> {
  const { config, tokens } = ctx.kernel;
  const { name: salt } = ctx.cookies.spec("sessionToken");
  const params = { token: cookie, secret: config.jwt.secret, salt };
  if (config.jwt.decode) {
    const token = await config.jwt.decode(params);
    return token && { token, json: JSON.stringify(token) };
  }
  const read = await tokens.read(params);
  return read && { token: read.payload, json: read.json };
}

async function good(ctx: AuthContext, cookie: string): Promise<Stored | null> {
  try {
    const stored = await decode(ctx, cookie);
    const ends = stored ? timesOf(stored.token, ctx.kernel).ends : 0;
    return ends > now() && ends < END_OF_DATES ? stored : null;
  } catch (error) {
    const { message } = error as Error;
    ctx.kernel.logger.debug("a session cookie was dropped", { reason: message });
    return null;
  }
}

// The browser's token, when it is good; a bad cookie is dropped and never stands in the way (R8).
async function load(ctx: AuthContext): Promise<Stored | null> {
  const { name, attributes } = ctx.cookies.spec("sessionToken");
  const cookie = ctx.cookies.getChunked(name);
  if (!cookie) return null;
  const stored = await good(ctx, cookie);
  if (stored) return stored;
  for (const namesake of ctx.cookies.getAll(name)) {
    const other = namesake === cookie ? null : await good(ctx, namesake);
    if (other) return other;
  }
  ctx.cookies.clearChunked(name, attributes);
  return null;
}

// `ends` is given when the session is not extended: then the token keeps its own end too.
async function store(ctx: AuthContext, token: JWT, times?: Times): Promise<void> {
  const { config, tokens } = ctx.kernel;
  const { name: salt, attributes } = ctx.cookies.spec("sessionToken");
  // Whole seconds on both sides: a token that is stored often must keep its end to the second.
  const maxAge = times ? Math.max(1, Math.floor(times.exp) - Math.floor(now())) : config.jwt.maxAge;
  const params = { token, secret: config.jwt.secret, salt, maxAge };
  const value = await (config.jwt.encode ?? tokens.encode)(params);
  if (value.length > LARGE) {
    const text =
      "The session token fills several cookies; many servers refuse requests with so much.";
    ctx.kernel.logger.warn("session-large", text);
  }
  const ends = times?.ends ?? endOf(token, ctx.kernel);
  ctx.cookies.setChunked(salt, value, { ...attributes, expires: new Date(ends * 1000) });
}

function drop(ctx: AuthContext): void {
  const { name, attributes } = ctx.cookies.spec("sessionToken");
  ctx.cookies.clearChunked(name, attributes);
}

// What a tap throws is told, and the cookie stays: the next read may go well (SECURITY.md F27).
async function heard<T>(hook: string, asked: () => Awaitable<T>): Promise<T> {
  try {
    return await asked();
  } catch (error) {
    const text = `A tap of the ${hook} hook threw; the session was kept.`;
    throw new JWTSessionError(text, { cause: { err: error as Error } });
  }
}

/** A token as the `jwt` hook left it, and when its session ends. */
interface Live {
  token: JWT;
  ends: number;
}

// Takes the browser's token through the `jwt` hook, and writes it anew when that is due or changed it.
async function renew(ctx: AuthContext, params: JWTParams = {}): Promise<Live | null> {
  const { kernel } = ctx;
  const stored = await load(ctx);
  if (!stored) return null;
  const times = timesOf(stored.token, kernel);
  const token = await heard("jwt", () => ask(kernel.hooks.jwt, stored.token, params, ctx));
  if (!token) {
    drop(ctx);
    return null;
  }
  const isChanged = kernel.hooks.jwt.isUsed() && JSON.stringify(token) !== stored.json;
  const kept = since(token, stored.token.auth_time);
  if (times.due) await store(ctx, kept);
  else if (isChanged || params.trigger) await store(ctx, kept, times);
  return { token, ends: times.due ? endOf(stored.token, kernel) : times.ends };
}

// What the client sees; `null` when a tap of the `session` hook shows nobody.
async function show(
  ctx: AuthContext,
  live: Live | null,
  params: SessionParams = {},
): Promise<Session | null> {
  if (!live) return null;
  const { token, ends } = live;
  const { name, email, picture } = token;
  const user = { name, email, image: picture } as User;
  const base: Session = { user, expires: new Date(ends * 1000).toISOString() };
  const { hooks } = ctx.kernel;
  const session = await heard("session", () => ask(hooks.session, base, { token, ...params }, ctx));
  if (session) await ctx.kernel.emit("session", { session, token });
  return session ?? null;
}

/** Keeps the session in an encrypted cookie; nothing is stored on the server. */
export function jwtStrategy(): Plugin {
  return definePlugin({
    name: "strategies/jwt",
    provides: ["strategy:jwt"],
    setup(kernel) {
      kernel.addStrategy("jwt", {
        async create(ctx, { user, account, profile, isNewUser }) {
          const fresh: JWT = {
            ...(user.name !== undefined && { name: user.name }),
            ...(user.email !== undefined && { email: user.email }),
            ...(user.image !== undefined && { picture: user.image }),
            ...(user.id !== undefined && { sub: String(user.id) }),
          };
          const params: JWTParams = {
            user,
            account,
            ...(profile && { profile }),
            ...(isNewUser !== undefined && { isNewUser }),
            trigger: isNewUser ? "signUp" : "signIn",
          };
          const token = await ask(ctx.kernel.hooks.jwt, fresh, params, ctx);
          const { absoluteMaxAge } = ctx.kernel.config.session;
          const isDated = absoluteMaxAge !== undefined || ctx.kernel.adapter !== undefined;
          // The session that comes with the proof begins no earlier than that.
          const began = isDated ? Math.max(Math.floor(now()), provedAt(user)) : undefined;
          return () => (token ? store(ctx, since(token, began)) : drop(ctx));
        },
        read: async (ctx) => show(ctx, await renew(ctx)),
        async update(ctx, data) {
          const live = await renew(ctx, { trigger: "update", session: data });
          return show(ctx, live, { newSession: data, trigger: "update" });
        },
        async current(ctx) {
          const live = await renew(ctx);
          const { sub, name, email, picture, iat, auth_time: began = iat } = live?.token ?? {};
          if (!sub) return null;
          const { adapter } = ctx.kernel;
          if (!adapter) return { id: sub, name, email, image: picture } as User;
          const user = await callAdapter(adapter, "getUser", sub);
          // Whoever signed in before the owner of the address came may be somebody else
          // (SECURITY.md R5); no write has ended the session, but it gets nothing more.
          return user && Number(began) >= provedAt(user) ? user : null;
        },
        async destroy(ctx): Promise<SignOutMessage | undefined> {
          const { name } = ctx.cookies.spec("sessionToken");
          const cookie = ctx.cookies.getChunked(name);
          drop(ctx);
          if (!cookie) return undefined;
          try {
            return { token: (await decode(ctx, cookie))?.token ?? null };
          } catch (error) {
            const text = "The session that was ended could not be read.";
            ctx.kernel.logger.error(new SignOutError(text, { cause: { err: error as Error } }));
            return { token: null };
          }
        },
      });
    },
  });
}

export default jwtStrategy;
