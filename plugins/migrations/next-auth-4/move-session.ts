import { callAdapterDirect, isSealed, sha256Base64url } from "../../../src/_kit.ts";
import type { Adapter, AuthContext, Awaitable, JWT } from "../../../src/kernel.ts";
import { isOldToken, OLD_TOKEN, type OldSessions } from "./cookie.ts";
import { openOldToken } from "./open-token.ts";

/** A session in a cookie of next-auth 4. */
interface OldSession {
  /** The owner of the session. */
  readonly owner: unknown;
  /** When it was issued, in seconds since the epoch, or 0 if unknown. */
  readonly iat: number;
  /** When it ends, in seconds since the epoch. */
  readonly ends: number;
  /** Returns the value of Keyhook's cookie for the session. */
  seal(): Awaitable<string>;
}

const now = (): number => Math.floor(Date.now() / 1000);

// Claims of the sign-in in Keyhook's tokens. In a token of next-auth 4, the client may have set them, if a callback
// keeps the data of `update`.
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
  // The token was sealed for `jwt.maxAge` even if its cookie ended with `session.maxAge`.
  const ends = Math.min(exp, iat + config.session.maxAge);
  // A token whose times a callback has replaced with other values is refused too.
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
  // The strategy looks the session up, and ends its cookie with it.
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
    const stored = await callAdapterDirect(adapter as Adapter, "getSessionAndUser", token);
    if (stored) found.push(toSession(token, stored.user.id));
  }
  return found;
}

/**
 * Replaces the session cookie of next-auth 4 with Keyhook's, both in the response and for all code that reads cookies
 * after this. If the browser has both, Keyhook's stays.
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
  ctx.debug?.("the session of next-auth 4 continues", { candidates: values.length });
  const expires = new Date(first.ends * 1000);
  cookies.setChunked(own.name, await first.seal(), { ...own.attributes, expires });
}
