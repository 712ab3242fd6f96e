import { SessionRequired } from "../errors/errors.ts";
import { expectOneUser } from "../kernel/strategy.ts";
import { checkCsrf } from "../request/csrf.ts";
import { checkFreshness } from "../request/fresh-session.ts";
import { isMutation } from "../request/guard.ts";
import type { HeldSession } from "../types/auth.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Session } from "../types/models.ts";
import type { RequestSource } from "../types/request-source.ts";
import {
  type ActionHandler,
  deliver,
  getRequest,
  getResponse,
  keepResponsePrivate,
  openPost,
  openRead,
  perform,
} from "./call.ts";
import type { SessionRead } from "./request-memory.ts";

async function readSession(ctx: AuthContext): Promise<SessionRead> {
  const session = (await ctx.session())?.session ?? null;
  const cookies = [...ctx.cookies.pending];
  const isOneOfSeveral =
    cookies.length > 0 && ctx.cookies.isRepeated(ctx.cookies.spec("sessionToken").name);
  return { session, cookies, isOneOfSeveral, receivers: new WeakSet() };
}

/** Makes the call's response depend on a session: caches do not store it, and it carries the renewed cookies. */
export function useSession(
  { memory }: ActionHandler,
  call: RequestSource,
  read: SessionRead,
): void {
  const response = getResponse(call);
  if (!response) return;
  keepResponsePrivate(call);
  const receiver = "cookies" in response ? response.cookies : response.headers;
  if (!read.cookies.length || read.receivers.has(receiver)) return;
  read.receivers.add(receiver);
  try {
    memory.deliver(getRequest(call), response, read.cookies, read.isOneOfSeveral);
  } catch {
    // A framework may no longer accept cookies, or never does while it renders. A later response renews the session.
  }
}

/**
 * Reads the session of an event once. Without a response, each call reads it: the Request may be a long-lived
 * connection, on which the application checks again whether the session has ended.
 */
export function readOnce(
  { memory }: ActionHandler,
  call: RequestSource,
  ctx: AuthContext,
): Promise<SessionRead> {
  if (!getResponse(call)) return readSession(ctx);
  const known = memory.openSession(getRequest(call));
  known.read ??= readSession(ctx);
  known.read.catch(() => (known.read = undefined));
  return known.read;
}

async function hold(
  handler: ActionHandler,
  call: RequestSource,
  check?: (ctx: AuthContext) => Promise<void>,
): Promise<HeldSession> {
  const request = getRequest(call);
  const known = handler.memory.openSession(request);
  const found = check || !getResponse(call) ? undefined : known.read;
  let read = await found;
  if (!read) {
    const ctx = openRead(handler, call, "getSession", "/session");
    await perform(ctx, async () => {
      await check?.(ctx);
      read = await readOnce(handler, call, ctx);
      return read.session;
    });
  }
  const done = read as SessionRead;
  return {
    session: done.session,
    use() {
      // After a sign-in or sign-out in the same request, these cookies belong to the old session.
      const isCurrent = handler.memory.openSession(request) === known;
      useSession(handler, call, isCurrent ? done : { ...done, cookies: [] });
    },
  };
}

/** Resolves to the session of a call. Once `use` is called, the call's response depends on that session. */
export function holdSession(handler: ActionHandler, call: RequestSource): Promise<HeldSession> {
  return hold(handler, call);
}

async function findUsed(
  handler: ActionHandler,
  call: RequestSource,
  check?: (ctx: AuthContext) => Promise<void>,
): Promise<Session | null> {
  const { session, use } = await hold(handler, call, check);
  use();
  return session;
}

/** Resolves to the session of a call. The response carries renewed cookies, and no cache stores it. */
export function getSession(handler: ActionHandler, call: RequestSource): Promise<Session | null> {
  return findUsed(handler, call);
}

async function demandSession(
  handler: ActionHandler,
  call: RequestSource,
  isFresh: boolean,
): Promise<Session> {
  const session = await findUsed(handler, call, async (ctx) => {
    if (isMutation(ctx)) await expectOneUser(ctx, ctx.kernel.strategy);
    if (isFresh && (await ctx.session())) await checkFreshness(ctx);
  });
  if (session) return session;
  throw new SessionRequired("The request has no session. Sign in first.");
}

/**
 * Resolves to the session of a call, like `getSession`.
 * @throws SessionRequired without a session; AmbiguousSession for a request that is neither GET nor HEAD, if the
 * browser sends sessions of different users.
 */
export function requireSession(handler: ActionHandler, call: RequestSource): Promise<Session> {
  return demandSession(handler, call, false);
}

/**
 * Resolves to the session of a call whose user signed in within `session.freshAge`.
 * @throws FreshSessionRequired if the sign-in is older; otherwise as `requireSession`.
 */
export function requireFreshSession(handler: ActionHandler, call: RequestSource): Promise<Session> {
  return demandSession(handler, call, true);
}

/** Resolves to the CSRF token of a call's browser. A new cookie is set by the response of the call's event. */
export function csrfToken(
  handler: ActionHandler,
  call: RequestSource,
): Promise<string | undefined> {
  const ctx = openRead(handler, call, "csrfToken", "/csrf");
  return perform(ctx, async () => {
    const token = await ctx.csrfToken();
    deliver(handler, ctx, call);
    return token;
  });
}

/**
 * Checks the CSRF token that a form or a script has posted to the application's own code, and that the request comes
 * from the public origin.
 * @throws MissingCSRF otherwise.
 */
export function verifyCsrfToken(
  handler: ActionHandler,
  call: RequestSource,
  token?: unknown,
): Promise<void> {
  const ctx = openPost(handler, call, "verifyCsrfToken", "/csrf", { csrfToken: token });
  return perform(ctx, () => checkCsrf(ctx).finally(() => deliver(handler, ctx, call)));
}
