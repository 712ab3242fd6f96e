import {
  type AuthContext,
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
  return Math.min(now() + kernel.config.session.maxAge, lastOf(token, kernel) ?? Infinity);
}

// A tap may make a new token; when the session began is not for it to forget.
function since(token: JWT, began: unknown): JWT {
  return typeof began === "number" ? { ...token, auth_time: began } : token;
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

// The browser's token, when it is good; a bad cookie is dropped and never stands in the way (R8).
async function load(ctx: AuthContext): Promise<Stored | null> {
  const { name, attributes } = ctx.cookies.spec("sessionToken");
  const cookie = ctx.cookies.getChunked(name);
  if (!cookie) return null;
  try {
    const stored = await decode(ctx, cookie);
    if (stored && timesOf(stored.token, ctx.kernel).ends > now()) return stored;
  } catch (error) {
    const { message } = error as Error;
    ctx.kernel.logger.debug("a session cookie was dropped", { reason: message });
  }
  ctx.cookies.clearChunked(name, attributes);
  return null;
}

// `ends` is given when the session is not extended: then the token keeps its own end too.
async function store(ctx: AuthContext, token: JWT, times?: Times): Promise<void> {
  const { config, tokens } = ctx.kernel;
  const { name: salt, attributes } = ctx.cookies.spec("sessionToken");
  const maxAge = times ? Math.max(1, Math.floor(times.exp - now())) : config.jwt.maxAge;
  const params = { token, secret: config.jwt.secret, salt, maxAge };
  const value = await (config.jwt.encode ?? tokens.encode)(params);
  const ends = times?.ends ?? endOf(token, ctx.kernel);
  ctx.cookies.setChunked(salt, value, { ...attributes, expires: new Date(ends * 1000) });
}

function drop(ctx: AuthContext): void {
  const { name, attributes } = ctx.cookies.spec("sessionToken");
  ctx.cookies.clearChunked(name, attributes);
}

async function shape(
  ctx: AuthContext,
  token: JWT,
  ends: number,
  params: SessionParams,
): Promise<Session> {
  const { name, email, picture } = token;
  const user = { name, email, image: picture } as User;
  const base: Session = { user, expires: new Date(ends * 1000).toISOString() };
  const session = await ask(ctx.kernel.hooks.session, base, { token, ...params }, ctx);
  return session ?? base;
}

// A read (or an update, when `change` is given) of a good token.
async function visit(ctx: AuthContext, change?: { data: unknown }): Promise<Session | null> {
  const { kernel } = ctx;
  const stored = await load(ctx);
  if (!stored) return null;
  const times = timesOf(stored.token, kernel);
  let token: JWT | null | undefined;
  let session: Session;
  let extended: boolean;
  try {
    const params: JWTParams = change ? { trigger: "update", session: change.data } : {};
    token = await ask(kernel.hooks.jwt, stored.token, params, ctx);
    if (!token) {
      drop(ctx);
      return null;
    }
    extended = times.due;
    const ends = extended ? endOf(stored.token, kernel) : times.ends;
    session = await shape(
      ctx,
      token,
      ends,
      change ? { newSession: change.data, trigger: "update" } : {},
    );
  } catch (error) {
    // The cookie stays: the next read may go well (SECURITY.md F27).
    const text = "A tap of the jwt or session hook threw; the session was kept.";
    throw new JWTSessionError(text, { cause: { err: error as Error } });
  }
  const changed = kernel.hooks.jwt.isUsed() && JSON.stringify(token) !== stored.json;
  const kept = since(token, stored.token.auth_time);
  if (extended) await store(ctx, kept);
  else if (changed || change) await store(ctx, kept, times);
  await kernel.emit("session", { session, token });
  return session;
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
          const began = absoluteMaxAge === undefined ? undefined : Math.floor(now());
          if (token) await store(ctx, since(token, began));
          else drop(ctx);
        },
        read: (ctx) => visit(ctx),
        update: (ctx, data) => visit(ctx, { data }),
        async current(ctx) {
          const stored = await load(ctx);
          const { sub, name, email, picture } = stored?.token ?? {};
          if (!sub) return null;
          const { adapter } = ctx.kernel;
          if (adapter) return callAdapter(adapter, "getUser", sub);
          return { id: sub, name, email, image: picture } as User;
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
