import { askAdapter, isSealed, sha256Base64url } from "../../../src/_kit.ts";
import type { Adapter, AuthContext, Awaitable, JWT } from "../../../src/kernel.ts";
import { isOldToken, OLD_TOKEN, type OldSessions } from "./cookie.ts";
import { openOldToken } from "./open-token.ts";

/** A session that a cookie of next-auth 4 opens. */
interface OldSession {
  /** Whose it is. */
  readonly owner: unknown;
  /** When it was issued, in seconds since the epoch; 0 if that is not known. */
  readonly iat: number;
  /** When it ends, in seconds since the epoch. */
  readonly ends: number;
  /** Returns the value of the cookie that Keyhook has for it. */
  seal(): Awaitable<string>;
}

const now = (): number => Math.floor(Date.now() / 1000);

// What Keyhook's tokens state of the sign-in. In one of next-auth 4 the client may have put it there, where a callback keeps
// what `update` sends.
const isReserved = (claim: string): boolean =>
  claim === "auth_time" || claim.startsWith("keyhook.");

function withoutReserved(claims: JWT): JWT {
  return Object.fromEntries(Object.entries(claims).filter(([claim]) => !isReserved(claim)));
}

async function decode({ kernel }: AuthContext, token: string, salt: string): Promise<JWT | null> {
  const { secret, decode: open } = kernel.config.jwt;
  if (!open) return openOldToken(token, [secret].flat());
  return open({ token, secret, salt });
}

async function openToken(
  ctx: AuthContext,
  text: string,
  { key, ended }: OldSessions,
): Promise<OldSession | null> {
  const { config, tokens } = ctx.kernel;
  const hash = await sha256Base64url(text);
  if (ended.get(hash)) return null;
  let claims: JWT | null;
  try {
    claims = await decode(ctx, text, ctx.cookies.spec(key).name);
  } catch (error) {
    ctx.log.debug("a cookie of next-auth 4 was dropped", { reason: (error as Error).message });
    return null;
  }
  if (!claims) return null;
  const { iat = now(), exp = iat + config.jwt.maxAge, sub, email } = claims;
  // It was sealed for `jwt.maxAge` also where its cookie ended with `session.maxAge`.
  const ends = Math.min(exp, iat + config.session.maxAge);
  // Nor is one whose times a callback has replaced by something else.
  if (!(ends > now())) return null;
  const seal = () =>
    (config.jwt.encode ?? tokens.encode)({
      token: { ...withoutReserved(claims), [OLD_TOKEN]: hash },
      secret: config.jwt.secret,
      salt: ctx.cookies.spec("sessionToken").name,
      maxAge: ends - now(),
    });
  return { owner: sub ?? email ?? text, iat, ends, seal };
}

async function openAll(ctx: AuthContext, sessions: OldSessions, cookies: readonly string[]) {
  const { config, adapter } = ctx.kernel;
  if (config.session.strategy === "jwt") {
    const opened = await Promise.all(cookies.map((cookie) => openToken(ctx, cookie, sessions)));
    return opened.filter((one) => one !== null);
  }
  // The strategy looks it up, and ends its cookie with it.
  const toSession = (token: string, owner?: unknown): OldSession => ({
    owner,
    iat: 0,
    ends: now() + config.session.maxAge,
    seal: () => token,
  });
  const tokens = cookies.filter((cookie) => !isSealed(cookie));
  if (tokens.length < 2) return tokens.map((token) => toSession(token));
  const found: OldSession[] = [];
  for (const token of tokens) {
    const stored = await askAdapter(adapter as Adapter, "getSessionAndUser", token);
    if (stored) found.push(toSession(token, stored.user.id));
  }
  return found;
}

/**
 * Puts Keyhook's session cookie in the place of that of next-auth 4: for all that reads cookies after this, and in the
 * response. Where the browser has both, Keyhook's stays.
 */
export async function moveSession(ctx: AuthContext, sessions: OldSessions): Promise<void> {
  const { cookies } = ctx;
  const { key, senders } = sessions;
  const old = cookies.spec(key);
  const own = cookies.spec("sessionToken");
  const values = cookies.getCandidates(old.name);
  const isShared = key === "sessionToken";
  senders.add(ctx);
  const isOver = isShared
    ? values.some((value) => isSealed(value) && !isOldToken(value))
    : cookies.getCandidates(own.name).length > 0 ||
      cookies.get(cookies.spec("nextAuth4Ended").name) !== undefined;
  const found = isOver ? [] : await openAll(ctx, sessions, values);
  // A sibling host may have set one of them (SECURITY.md R8).
  if (new Set(found.map(({ owner }) => owner)).size > 1) return;
  if (!isShared) cookies.clearChunked(old.name, old.attributes);
  const [first] = found.sort((one, other) => one.iat - other.iat);
  if (!first) return;
  ctx.debug?.("the session of next-auth 4 goes on", { candidates: values.length });
  const expires = new Date(first.ends * 1000);
  cookies.setChunked(own.name, await first.seal(), { ...own.attributes, expires });
}
