import {
  type Adapter,
  type AdapterSession,
  type AdapterUser,
  type AuthContext,
  ask,
  callAdapter,
  createCache,
  type Kernel,
  residentOf,
  type Session,
  type SessionParams,
  SessionTokenError,
  sha256Base64url,
  type SignOutMessage,
  SignOutError,
  type Strategy,
  type User,
} from "../../../src/index.ts";

/** A stored session that counts. */
interface Found {
  token: string;
  session: AdapterSession;
  user: AdapterUser;
  /** Milliseconds since the epoch. */
  expires: number;
}

/** What one server knows of sessions beside the adapter. */
interface Memory {
  /** Extensions under way in stores that cannot do it at once: by token, one at a time. */
  extensions: Map<string, Promise<number | null>>;
  /** Hashes of tokens that ended here, whatever a replica that lags behind says of them. */
  ended: ReturnType<typeof createCache<true>>;
}

/** Tokens that are remembered after their end. */
const ENDED = 10_000;

const adapterOf = ({ kernel }: AuthContext): Adapter => kernel.adapter as Adapter;

// Whatever a stranger sends as a token, and the header it was cut from, must take no room here.
const nameOf = (token: string) => sha256Base64url(token);

// Some adapters answer text.
const timeOf = (date: unknown): number => new Date(date as Date | string).getTime();

// Without an absolute lifetime the token is what was generated. With one, it says when the session
// began: it is looked up as a whole, so that nobody can change that.
function newToken({ session }: Kernel["config"]): string {
  const token = session.generateSessionToken();
  if (session.absoluteMaxAge === undefined) return token;
  return `${token}.${Math.floor(Date.now() / 1000).toString(36)}`;
}

// The end that no extension goes beyond. A token that does not say when it began has what it has.
function lastOf(token: string, { session }: Kernel["config"]): number | undefined {
  if (session.absoluteMaxAge === undefined) return Infinity;
  const began = /\.([0-9a-z]{6,7})$/.exec(token)?.[1];
  return began === undefined ? began : (parseInt(began, 36) + session.absoluteMaxAge) * 1000;
}

function tokenOf(ctx: AuthContext): string | undefined {
  return ctx.cookies.get(ctx.cookies.spec("sessionToken").name);
}

// One cookie; what is left of a larger one goes.
function keep(ctx: AuthContext, token: string, expires: number): void {
  const { name, attributes } = ctx.cookies.spec("sessionToken");
  ctx.cookies.setChunked(name, token, { ...attributes, expires: new Date(expires) });
}

function drop(ctx: AuthContext): void {
  const { name, attributes } = ctx.cookies.spec("sessionToken");
  ctx.cookies.clearChunked(name, attributes);
}

async function lookUp(ctx: AuthContext, token: string, { ended }: Memory): Promise<Found | null> {
  if (ended.size && ended.get(await nameOf(token))) return null;
  const found = await callAdapter(adapterOf(ctx), "getSessionAndUser", token);
  if (!found?.session || !found.user) return null;
  const expires = Math.min(
    timeOf(found.session.expires),
    lastOf(token, ctx.kernel.config) ?? Infinity,
  );
  // A row without a date is no session.
  return Number.isNaN(expires) ? null : { token, ...found, expires };
}

// The browser's session while it lasts; an expired one is removed, and a dead cookie dropped.
async function load(ctx: AuthContext, memory: Memory): Promise<Found | null> {
  const token = tokenOf(ctx);
  const found = token === undefined ? null : await lookUp(ctx, token, memory);
  if (found && found.expires > Date.now()) return found;
  drop(ctx);
  if (found) await end(ctx, found.token, memory);
  return null;
}

// Removes a session that counts no more, whether or not that goes well.
async function end(
  ctx: AuthContext,
  token: string,
  { ended }: Memory,
): Promise<AdapterSession | null | undefined> {
  ended.set(await nameOf(token), true);
  try {
    return (await callAdapter(adapterOf(ctx), "deleteSession", token)) ?? undefined;
  } catch (error) {
    const text = "A session that ended could not be removed from the store.";
    ctx.kernel.logger.error(new SignOutError(text, { cause: { err: error as Error } }));
    return undefined;
  }
}

function nextOf({ token, expires }: Found, { config }: Kernel): number {
  const { maxAge, updateAge } = config.session;
  if (expires - (maxAge - updateAge) * 1000 > Date.now()) return expires;
  return Math.max(expires, Math.min(Date.now() + maxAge * 1000, lastOf(token, config) ?? expires));
}

// For a store without `extendSession`: looks again before it writes, since another may just have.
async function slide(ctx: AuthContext, { token }: Found, memory: Memory): Promise<number | null> {
  const found = await lookUp(ctx, token, memory);
  if (!found) return null;
  const next = nextOf(found, ctx.kernel);
  if (next === found.expires) return next;
  const changes = { sessionToken: token, expires: new Date(next) };
  const moved = await callAdapter(adapterOf(ctx), "updateSession", changes);
  return timeOf(moved?.expires) || next;
}

// The session's end, moved when that is due; `null` when the session has ended meanwhile.
async function extend(ctx: AuthContext, found: Found, memory: Memory): Promise<number | null> {
  const { token, session, expires } = found;
  const next = nextOf(found, ctx.kernel);
  if (next === expires) return expires;
  const adapter = adapterOf(ctx);
  if (adapter.extendSession) {
    const from = new Date(timeOf(session.expires));
    const moved = await callAdapter(adapter, "extendSession", token, from, new Date(next));
    return moved && timeOf(moved.expires);
  }
  const { extensions } = memory;
  const running = extensions.get(token);
  if (running) return running;
  const extension = slide(ctx, found, memory).finally(() => extensions.delete(token));
  extensions.set(token, extension);
  return extension;
}

async function shape(
  ctx: AuthContext,
  { session: stored, user, token }: Found,
  expires: number,
  params: SessionParams,
): Promise<Session> {
  const { name, email, image } = user;
  const shown = { name, email, image } as User;
  const base: Session = { user: shown, expires: new Date(expires).toISOString() };
  let shaped: Session & { sessionToken?: unknown };
  try {
    const answer = await ask(
      ctx.kernel.hooks.session,
      base,
      { user, stored: { ...stored, expires: new Date(expires) }, ...params },
      ctx,
    );
    shaped = answer ?? base;
  } catch (error) {
    const text = "A tap of the session hook threw; the session was kept.";
    throw new SessionTokenError(text, { cause: { err: error as Error } });
  }
  if (shaped.sessionToken !== token) return shaped;
  // It lies in a cookie that no script can read, and must not come out another way.
  const { sessionToken: _, ...rest } = shaped;
  return rest;
}

async function visit(
  ctx: AuthContext,
  memory: Memory,
  params: SessionParams = {},
): Promise<Session | null> {
  const found = await load(ctx, memory);
  if (!found) return null;
  let expires: number | null = found.expires;
  try {
    expires = await extend(ctx, found, memory);
  } catch (error) {
    // A store that takes no writes signs nobody out.
    const text = "A session could not be extended.";
    ctx.kernel.logger.error(new SessionTokenError(text, { cause: { err: error as Error } }));
  }
  if (expires === null) {
    drop(ctx);
    return null;
  }
  if (expires !== found.expires) keep(ctx, found.token, expires);
  const session = await shape(ctx, found, expires, params);
  await ctx.kernel.emit("session", { session });
  return session;
}

/** Makes the strategy, which is loaded with the first request that needs it. */
export function createStored(): Strategy {
  const memory: Memory = { extensions: new Map(), ended: createCache({ max: ENDED }) };
  return {
    async create(ctx, login) {
      const { config } = ctx.kernel;
      const old = tokenOf(ctx);
      const token = newToken(config);
      const { maxAge, absoluteMaxAge = Infinity } = config.session;
      const expires = new Date(Date.now() + Math.min(maxAge, absoluteMaxAge) * 1000);
      const { id } = await residentOf(ctx, login);
      // An application's own generator may give one again.
      memory.ended.delete(await nameOf(token));
      const row = { sessionToken: token, userId: String(id), expires };
      const made = await callAdapter(adapterOf(ctx), "createSession", row);
      return async () => {
        keep(ctx, made?.sessionToken ?? token, timeOf(made?.expires) || expires.getTime());
        // What was planted in this browser, or stolen from it, ends here (SECURITY.md R13).
        if (old !== undefined) await end(ctx, old, memory);
      };
    },
    read: (ctx) => visit(ctx, memory),
    update: (ctx, data) => visit(ctx, memory, { newSession: data, trigger: "update" }),
    async current(ctx) {
      const token = tokenOf(ctx);
      const found = token === undefined ? null : await lookUp(ctx, token, memory);
      return found && found.expires > Date.now() ? found.user : null;
    },
    async destroy(ctx): Promise<SignOutMessage | undefined> {
      const token = tokenOf(ctx);
      drop(ctx);
      return token === undefined ? undefined : { session: await end(ctx, token, memory) };
    },
  };
}
