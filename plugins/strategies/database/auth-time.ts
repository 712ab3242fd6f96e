import { sha256Base64url } from "../../../src/_kit.ts";
import { type Adapter, type AuthContext, callAdapter } from "../../../src/kernel.ts";
import { getBegin } from "../_database/rows.ts";

/**
 * Keeps the time at which the user of a new session signed in, in the adapter or in a cookie. The cookie is sealed for
 * this session and ends with `session.freshAge`. Adapters of Auth.js have no column for the time.
 */
export async function keepAuthTime(
  ctx: AuthContext,
  token: string,
  authTime: number,
): Promise<void> {
  const { config, tokens, adapter } = ctx.kernel;
  const { freshAge } = config.session;
  if (freshAge === 0 || adapter?.getSessionStart) return;
  const { name, attributes } = ctx.cookies.spec("authTime");
  const value = await tokens.encode({
    token: { session: await sha256Base64url(token), auth_time: Math.floor(authTime) },
    secret: config.secret,
    salt: name,
    maxAge: freshAge,
  });
  const expires = new Date(Date.now() + freshAge * 1000);
  ctx.cookies.set(name, value, { ...attributes, maxAge: freshAge, expires });
}

/** Clears that cookie, if the browser sent it. */
export function forgetAuthTime({ cookies }: AuthContext): void {
  const { name, attributes } = cookies.spec("authTime");
  if (cookies.get(name) !== undefined) cookies.clear(name, attributes);
}

async function openCookie(ctx: AuthContext, token: string): Promise<number | undefined> {
  const { config, tokens } = ctx.kernel;
  const { name: salt } = ctx.cookies.spec("authTime");
  const session = await sha256Base64url(token);
  for (const value of ctx.cookies.getAll(salt)) {
    try {
      const kept = await tokens.decode({ token: value, secret: config.secret, salt });
      if (kept?.session === session && typeof kept.auth_time === "number") return kept.auth_time;
    } catch {
      // The cookie has expired, or a sibling host has set it.
    }
  }
  return undefined;
}

// The application's own token may end like one with a time. A time in the future is therefore ignored.
function readToken(token: string): number | undefined {
  const began = getBegin(token);
  return began !== undefined && began <= Date.now() / 1000 ? began : undefined;
}

/** Returns when the user of a session signed in, in seconds since the epoch, or `undefined` if unknown. */
export async function readAuthTime(ctx: AuthContext, token: string): Promise<number | undefined> {
  const adapter = ctx.kernel.adapter as Adapter;
  if (!adapter.getSessionStart) return (await openCookie(ctx, token)) ?? readToken(token);
  const start = await callAdapter(adapter, "getSessionStart", token);
  // Some adapters return dates as text. A session that continues an earlier sign-in, such as that of a native app, has
  // the time of that sign-in in its token.
  return start
    ? Math.min(new Date(start).getTime() / 1000, readToken(token) ?? Infinity)
    : undefined;
}
