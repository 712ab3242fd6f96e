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
  /** The session token that the app got, sealed. */
  readonly token?: string;
}

/** `code`: by an authorization code; `device`: by the code that a user types. */
export type GrantKey = readonly [kind: "code" | "device", code: string];

/** What an app gets, or why it does not (RFC 6749 section 5.2, RFC 8628 section 3.5). */
export type Redemption = { token: string; expires: Date | undefined } | { error: string };

/** The sign-ins that apps have asked for, and that are not redeemed yet. */
export interface Grants {
  /** Seals what a user has allowed. */
  seal(consent: Consent): Promise<string>;
  /** Adds a grant for some seconds. Resolves to `false` if there is one of this code. */
  add(key: GrantKey, grant: Grant, seconds: number): Promise<boolean>;
  /** Resolves to a grant that its user has not answered yet. */
  findOpen(key: GrantKey): Promise<Grant | undefined>;
  /** Answers an open grant, with what the user has allowed or `null`. Resolves to `false` if there is none any more. */
  answer(key: GrantKey, consent: Consent | null): Promise<boolean>;
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

const INVALID: Redemption = { error: "invalid_grant" };

/** Creates the records, in the plugin's store. */
export function createGrants(kernel: Kernel): Grants {
  const grants = kernel.store<Grant>("native-app-grants", { atomic: true });
  const polls = kernel.store<true>("native-app-polls", { atomic: true });

  const seal = async (token: JWT) => {
    const { secret } = kernel.config;
    return kernel.tokens.encode({ token, secret, salt: SALT, maxAge: USED_S });
  };
  const open = async <T>(token: string): Promise<T | undefined> => {
    try {
      const { secret } = kernel.config;
      return ((await kernel.tokens.decode({ token, secret, salt: SALT })) ?? undefined) as T;
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
    const grant = await grants.take(key);
    const text = "A code of a native app was used twice. The session that it gave has ended";
    const limit = kernel.strategy.endsWithin ? "." : ", as far as this strategy can end one.";
    ctx.log.warn("native-app-code-reused", text + limit);
    const used = grant?.token === undefined ? undefined : await open<JWT>(grant.token);
    if (used) await endSession(ctx, String(used.token));
    return INVALID;
  };

  const createSession = async (
    ctx: AuthContext,
    app: App,
    grant: Grant,
  ): Promise<Exclude<Redemption, { error: string }> | undefined> => {
    const consent = await open<Consent>(grant.consent ?? "");
    const login = consent && (await toLogin(ctx, app, consent));
    if (!login) return undefined;
    const setSession = await kernel.strategy.create(ctx, login);
    await setSession();
    const { name } = ctx.cookies.spec("sessionToken");
    const token = ctx.cookies.getChunked(name);
    const cookie = ctx.cookies.pending.find((one) => one.value && one.name.startsWith(name));
    // The `jwt` callback has returned `null`.
    if (token === undefined || !cookie) return undefined;
    const { outcome: _, emailVerified: __, authTime: ___, ...message } = login;
    await kernel.emit("signIn", message, ctx);
    return { token, expires: cookie.attributes.expires };
  };

  // What a device is told until its user has answered.
  const wait = async ([, code]: GrantKey): Promise<Redemption> => {
    // A clock that is a little ahead of the device's does not make it slower.
    const isInTime = await polls.putIfAbsent(code, true, { ttl: (INTERVAL_S - 1) * 1000 });
    return { error: isInTime ? "authorization_pending" : "slow_down" };
  };

  return {
    seal: (consent) => seal({ ...consent }),
    add: (key, grant, seconds) => grants.putIfAbsent(key, grant, { ttl: seconds * 1000 }),
    async findOpen(key) {
      const grant = await grants.get(key);
      return grant && (grant.isDenied || grant.consent !== undefined) ? undefined : grant;
    },
    async answer(key, consent) {
      const entry = await grants.read(key);
      if (!entry || entry.value.isDenied || entry.value.consent !== undefined) return false;
      const answer = consent
        ? { consent: await seal({ ...consent }) }
        : { isDenied: true as const };
      return grants.compareAndSet(key, entry, { ...entry.value, ...answer });
    },
    async redeem(ctx, app, key, { secret, redirectUri }) {
      const [kind] = key;
      const entry = await grants.read(key);
      if (!entry) return kind === "device" ? { error: "expired_token" } : INVALID;
      const { value: grant } = entry;
      const isSame = timingSafeEqual(await sha256Base64url(secret), grant.challenge);
      if (!isSame || grant.app !== app.id || grant.redirectUri !== redirectUri) {
        // An authorization code that is known elsewhere than in its app is good no more. The code of a device is in the open.
        if (kind === "code") await grants.delete(key);
        return INVALID;
      }
      if (grant.isUsed) return refuseSecond(ctx, key);
      if (grant.isDenied) return { error: "access_denied" };
      if (grant.consent === undefined) return wait(key);
      // Atomic: of all who redeem it at once, one goes on.
      const used: Grant = { ...grant, isUsed: true };
      const options = { ttl: USED_S * 1000 };
      if (!(await grants.compareAndSet(key, entry, used, options))) return refuseSecond(ctx, key);
      const session = await createSession(ctx, app, grant);
      if (!session) return INVALID;
      const token = await seal({ token: session.token });
      const marked = await grants.read(key);
      if (marked && (await grants.compareAndSet(key, marked, { ...used, token }, options))) {
        return session;
      }
      // It was used again in the meantime.
      await endSession(ctx, session.token);
      return INVALID;
    },
  };
}
