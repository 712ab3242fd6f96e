import { sha256Base64url, timingSafeEqual } from "../../../src/_kit.ts";
import type { AuthContext, JWT, Kernel } from "../../../src/kernel.ts";
import type { App } from "./apps.ts";
import { type Consent, toLogin } from "./consent.ts";

/** A sign-in that an app has asked for. */
export interface Grant {
  /** Id of the app. */
  readonly app: string;
  /** SHA-256 of what only the app has: the code verifier (RFC 7636), or the secret part of a device code. */
  readonly challenge: string;
  /** Where the browser was led with the code. */
  readonly redirectUri?: string;
  /** What the user has allowed, sealed: a copy of the store must not contain the token of a session. */
  readonly consent?: string;
  readonly isDenied?: true;
  readonly isUsed?: true;
  /** Whether it was used again, which has ended the session that it gave. */
  readonly isReused?: true;
  /** The session token that the app got, sealed. */
  readonly token?: string;
}

/**
 * `code`: by an authorization code; `device`: by the code that a user types. At the URL of the routes, since a session may be
 * good at its origin alone.
 */
export type GrantKey = readonly [kind: "code" | "device", base: string, code: string];

/** What an app gets, or why it does not (RFC 6749 section 5.2, RFC 8628 section 3.5). */
export type Redemption = { token: string; expires: Date | undefined } | { error: string };

/** The sign-ins that apps have asked for, and that are not redeemed yet. */
export interface Grants {
  /** Adds a grant for some seconds, with what its user has allowed. Resolves to `false` if there is one of this code. */
  add(key: GrantKey, grant: Grant, seconds: number, consent?: Consent): Promise<boolean>;
  /** Resolves to a grant on which its user has not decided yet. */
  findOpen(key: GrantKey): Promise<Grant | undefined>;
  /** Notes what the user has decided on an open grant: what is allowed, or `null`. Resolves to `false` if there is none any more. */
  decide(key: GrantKey, consent: Consent | null): Promise<boolean>;
  /**
   * Redeems a grant, once, by what only the app has. A second time ends the session that the first has given (RFC 6749
   * section 4.1.2).
   */
  redeem(ctx: AuthContext, app: App, key: GrantKey, proof: Proof): Promise<Redemption>;
}

/** What an app shows to redeem a grant. */
export interface Proof {
  readonly secret: string;
  readonly redirectUri?: string | undefined;
}

/** Seconds between two questions of a device. */
export const INTERVAL_S = 5;
/** Seconds for which a grant that was used is known: a copy of its code ends the session. */
const USED_S = 600;
const SALT = "keyhook.native-apps";

const KEPT = { ttl: USED_S * 1000 };

type Session = Exclude<Redemption, { error: string }>;

const INVALID: Redemption = { error: "invalid_grant" };

/** Creates the records, in the plugin's store. */
export function createGrants(kernel: Kernel): Grants {
  const grants = kernel.store<Grant>("native-app-grants", { atomic: true });
  const polls = kernel.store<true>("native-app-polls", { atomic: true });
  // Requests whose session has taken the place of another one (`session.maxPerUser`), perhaps of the browser's.
  const limited = new WeakSet<AuthContext>();
  kernel.events.hook("endSession", ({ reason }, { ctx }) => {
    if (ctx && reason === "limit") limited.add(ctx);
  });

  // Good for its grant alone: who can write the store could move it to another one.
  const bind = (key: GrantKey, { app, challenge, redirectUri }: Grant) =>
    JSON.stringify([...key, app, challenge, redirectUri]);
  const seal = async (what: "consent" | "token", key: GrantKey, grant: Grant, value: object) => {
    const { secret } = kernel.config;
    const token = { ...value, grant: bind(key, grant) };
    return kernel.tokens.encode({ token, secret, salt: `${SALT}.${what}`, maxAge: USED_S });
  };
  const open = async (
    what: "consent" | "token",
    key: GrantKey,
    grant: Grant,
  ): Promise<JWT | undefined> => {
    const { secret } = kernel.config;
    const { [what]: token = "" } = grant;
    try {
      const opened = await kernel.tokens.decode({ token, secret, salt: `${SALT}.${what}` });
      return opened?.grant === bind(key, grant) ? opened : undefined;
    } catch {
      return undefined;
    }
  };

  const endSession = async (ctx: AuthContext, token: string) => {
    const { name, attributes } = ctx.cookies.spec("sessionToken");
    ctx.cookies.setChunked(name, token, attributes);
    const ended = await kernel.strategy.destroy(ctx);
    if (ended) await kernel.emit("signOut", ended, ctx);
  };

  // The second may be the app, and the first a thief: the session of neither lasts.
  const refuseSecond = async (ctx: AuthContext, key: GrantKey): Promise<Redemption> => {
    const text = "A code of a native app was used twice. The session that it gave has ended";
    const limit = kernel.strategy.endsWithin ? "." : ", as far as this strategy can end one.";
    ctx.log.warn("native-app-code-reused", text + limit);
    // Once more when the first notes its session in the meantime, or another one is the second.
    for (let tries = 0; tries < 3; tries++) {
      const entry = await grants.read(key);
      if (!entry || entry.value.isReused) return INVALID;
      const reused: Grant = { ...entry.value, isReused: true };
      if (!(await grants.compareAndSet(key, entry, reused, KEPT))) continue;
      const used = await open("token", key, reused);
      if (used) await endSession(ctx, String(used.token));
      return INVALID;
    }
    return INVALID;
  };

  // Notes which session a grant gave. Resolves to whether it was not used again in the meantime.
  const note = async (key: GrantKey, grant: Grant, session: string): Promise<boolean> => {
    const token = await seal("token", key, grant, { token: session });
    const entry = await grants.read(key);
    if (!entry || entry.value.isReused) return false;
    return grants.compareAndSet(key, entry, { ...entry.value, token }, KEPT);
  };

  const createSession = async (
    ctx: AuthContext,
    app: App,
    key: GrantKey,
    grant: Grant,
  ): Promise<Session | undefined> => {
    const consent = (await open("consent", key, grant)) as Consent | undefined;
    const login = consent && (await toLogin(ctx, app, consent));
    if (!login) return undefined;
    const setSession = await kernel.strategy.create(ctx, login);
    await setSession();
    // What ended the user's sessions in the meantime has not ended this one.
    const { session: _, ...rest } = consent;
    if (!(await toLogin(ctx, app, limited.has(ctx) ? rest : consent))) return undefined;
    const { name } = ctx.cookies.spec("sessionToken");
    const token = ctx.cookies.getChunked(name);
    const cookie = ctx.cookies.pending.find((one) => one.value && one.name.startsWith(name));
    // The `jwt` callback has returned `null`.
    if (token === undefined || !cookie || !(await note(key, grant, token))) return undefined;
    const { user, account } = login;
    await kernel.emit("signIn", { user, account }, ctx);
    return { token, expires: cookie.attributes.expires };
  };

  // What a device is told until its user has decided.
  const wait = async (key: GrantKey): Promise<Redemption> => {
    // A clock that is a little ahead of the device's does not make it slower.
    const isInTime = await polls.putIfAbsent(key, true, { ttl: (INTERVAL_S - 1) * 1000 });
    return { error: isInTime ? "authorization_pending" : "slow_down" };
  };

  return {
    async add(key, grant, seconds, consent) {
      const allowed = consent && { consent: await seal("consent", key, grant, consent) };
      return grants.putIfAbsent(key, { ...grant, ...allowed }, { ttl: seconds * 1000 });
    },
    async findOpen(key) {
      const grant = await grants.get(key);
      return grant && (grant.isDenied || grant.consent !== undefined) ? undefined : grant;
    },
    async decide(key, consent) {
      const entry = await grants.read(key);
      if (!entry || entry.value.isDenied || entry.value.consent !== undefined) return false;
      const decision = consent
        ? { consent: await seal("consent", key, entry.value, consent) }
        : { isDenied: true as const };
      return grants.compareAndSet(key, entry, { ...entry.value, ...decision });
    },
    async redeem(ctx, app, key, { secret, redirectUri }) {
      const [kind] = key;
      // One response, after the same work, to codes that are not known and to those of others: who tries the codes of users must
      // not learn which are live.
      const unknown = kind === "device" ? { error: "expired_token" } : INVALID;
      const challenge = await sha256Base64url(secret);
      const entry = await grants.read(key);
      if (!entry) return unknown;
      const { value: grant } = entry;
      const used: Grant = { ...grant, isUsed: true };
      const isSame = timingSafeEqual(challenge, grant.challenge);
      if (!isSame || grant.app !== app.id || grant.redirectUri !== redirectUri) {
        // An authorization code that is known elsewhere than in its app is good no more. One that was used stays, to tell a
        // second use. The code of a device is in the open.
        if (kind === "code" && !grant.isUsed) await grants.compareAndSet(key, entry, used, KEPT);
        return unknown;
      }
      if (grant.isUsed) return refuseSecond(ctx, key);
      if (grant.isDenied) return { error: "access_denied" };
      if (grant.consent === undefined) return wait(key);
      // Atomic: of all who redeem it at once, one goes on.
      if (!(await grants.compareAndSet(key, entry, used, KEPT))) return refuseSecond(ctx, key);
      let session: Session | undefined;
      try {
        session = await createSession(ctx, app, key, grant);
      } finally {
        // One that no app gets does not last.
        if (!session) await kernel.strategy.destroy(ctx);
      }
      return session ?? INVALID;
    },
  };
}
