import { sha256Base64url, timingSafeEqual } from "../../../src/_kit.ts";
import type { AuthContext, JWT, Kernel } from "../../../src/kernel.ts";
import type { App } from "./apps.ts";
import { type Consent, toLogin } from "./consent.ts";

/** A sign-in that an app has requested. */
export interface Grant {
  readonly app: string;
  /** SHA-256 of a secret that only the app has: the code verifier (RFC 7636), or the secret part of a device code. */
  readonly challenge: string;
  /** The URI to which the browser was redirected with the code. */
  readonly redirectUri?: string;
  /** The user's consent, sealed: a copy of the store must not contain the token of a session. */
  readonly consent?: string;
  readonly isDenied?: true;
  readonly isUsed?: true;
  /** Whether the grant was used again. This ended the session that it gave. */
  readonly isReused?: true;
  /** The session token that the app got, sealed. */
  readonly token?: string;
}

/**
 * `code`: by an authorization code. `device`: by the code that a user types. `base` is the URL of the routes, because a
 * session may be valid only at its origin.
 */
export type GrantKey = readonly [kind: "code" | "device", base: string, code: string];

/** The token that an app gets, or the error (RFC 6749 section 5.2, RFC 8628 section 3.5). */
export type Redemption = { token: string; expires: Date | undefined } | { error: string };

/** The sign-ins that apps have requested and not yet redeemed. */
export interface Grants {
  /** Adds a grant for some seconds, with its user's consent. Resolves to `false` if the code is already in use. */
  add(key: GrantKey, grant: Grant, seconds: number, consent?: Consent): Promise<boolean>;
  /** Resolves to a grant whose user has not decided yet. */
  findOpen(key: GrantKey): Promise<Grant | undefined>;
  /**
   * Records the user's decision on an open grant: the consent, or `null`. Resolves to `false` if the grant is no longer
   * open.
   */
  decide(key: GrantKey, consent: Consent | null): Promise<boolean>;
  /**
   * Redeems a grant, once, with a secret that only the app has. A second use ends the session of the first (RFC 6749
   * section 4.1.2).
   */
  redeem(ctx: AuthContext, app: App, key: GrantKey, proof: Proof): Promise<Redemption>;
}

/** The proof with which an app redeems a grant. */
export interface Proof {
  readonly secret: string;
  readonly redirectUri?: string | undefined;
}

/** Seconds between two polls of a device. */
export const INTERVAL_S = 5;
/** Seconds for which a used grant is kept, so that a copy of its code ends the session. */
const USED_S = 600;
const SALT = "keyhook.native-apps";

const KEPT = { ttl: USED_S * 1000 };

type Session = Exclude<Redemption, { error: string }>;

const INVALID: Redemption = { error: "invalid_grant" };

/** Creates the records in the plugin's store. */
export function createGrants(kernel: Kernel): Grants {
  const grants = kernel.store<Grant>("native-app-grants", { atomic: true });
  const polls = kernel.store<true>("native-app-polls", { atomic: true });
  // Requests whose session has replaced another one (`session.maxPerUser`), perhaps the browser's.
  const limited = new WeakSet<AuthContext>();
  kernel.events.hook("endSession", ({ reason }, { ctx }) => {
    if (ctx && reason === "limit") limited.add(ctx);
  });

  // Bound to its grant: an attacker who can write the store could otherwise move it to another grant.
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

  // The second request may be the app's, and the first a thief's, so both lose the session.
  const refuseSecond = async (ctx: AuthContext, key: GrantKey): Promise<Redemption> => {
    const text =
      "A code of a native app was used twice. The session that it created, if any, has ended";
    const limit = kernel.strategy.endsWithin ? "." : ", as far as this strategy can end one.";
    ctx.log.warn("native-app-code-reused", text + limit);
    // Retries when the first request records its session concurrently, or when there is another second request.
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

  // Records which session a grant gave. Resolves to `false` if the grant was used again in between.
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
    kernel.find("providerLogins")?.keep(ctx, consent.logins ?? []);
    const setSession = await kernel.strategy.create(ctx, login);
    await setSession();
    // Ending the user's sessions in between has not ended this one.
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

  // Returns what a device receives until its user has decided.
  const wait = async (key: GrantKey): Promise<Redemption> => {
    // With a second of tolerance, so that a clock slightly ahead of the device's does not slow it down.
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
      // Unknown codes and codes of other apps get the same response after the same work, so that an attacker who tries
      // users' codes does not learn which are live.
      const unknown = kind === "device" ? { error: "expired_token" } : INVALID;
      const challenge = await sha256Base64url(secret);
      const entry = await grants.read(key);
      if (!entry) return unknown;
      const { value: grant } = entry;
      const used: Grant = { ...grant, isUsed: true };
      const isSame = timingSafeEqual(challenge, grant.challenge);
      if (!isSame || grant.app !== app.id || grant.redirectUri !== redirectUri) {
        // An authorization code that is known outside of its app is revoked. A used code stays, so that a second use is
        // detected. The code of a device is shown openly, so it is not revoked.
        if (kind === "code" && !grant.isUsed) await grants.compareAndSet(key, entry, used, KEPT);
        return unknown;
      }
      if (grant.isUsed) return refuseSecond(ctx, key);
      if (grant.isDenied) return { error: "access_denied" };
      if (grant.consent === undefined) return wait(key);
      // Atomic: of concurrent requests, only one proceeds.
      if (!(await grants.compareAndSet(key, entry, used, KEPT))) return refuseSecond(ctx, key);
      let session: Session | undefined;
      try {
        session = await createSession(ctx, app, key, grant);
      } finally {
        // A session that no app receives is ended.
        if (!session) await kernel.strategy.destroy(ctx);
      }
      return session ?? INVALID;
    },
  };
}
