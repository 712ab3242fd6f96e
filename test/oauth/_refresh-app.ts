import { AsyncLocalStorage } from "node:async_hooks";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { accessTokens, type AccessTokensAuth } from "../../plugins/oauth/access-tokens.ts";
import { standardPreset } from "../../presets/index.ts";
import type { AuthError } from "../../src/errors.ts";
import { definePlugin, defineStore, type StoreBackend } from "../../src/kernel.ts";
import { createTestAuth } from "../_app.ts";
import { type Idp, newSigningKey, startIdp } from "../_idp.ts";
import type { Setting } from "../stores/_history.ts";
import { STORAGE_TIMEOUT } from "../stores/_racers.ts";

export const ORIGIN = "http://127.0.0.1:3000";
const CLIENT = {
  clientId: "client",
  clientSecret: "a-client-secret-of-at-least-32-characters",
};

/** Where the processes of an application find their records and provider. */
export interface RefreshSetting extends Setting {
  issuer: string;
}

/** A call of `auth.getAccessToken` with the cookies of a browser. */
export interface Call {
  cookie: string;
  /** Milliseconds to wait first. */
  delay?: number;
}

/** The result of a call, or the error that it threw. */
export interface Answer {
  token?: string;
  /** The type of the error. */
  error?: string;
  /** The messages of the error and its cause. */
  reason?: string;
  /** The events that this call caused. */
  events: string[];
}

/** Starts a provider that rotates refresh tokens, and ends a grant whose refresh token is used again. */
export async function startRotating(): Promise<Idp> {
  return startIdp(
    [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [`${ORIGIN}/auth/callback/idp`],
        grant_types: ["authorization_code", "refresh_token"],
        id_token_signed_response_alg: "ES256",
      },
    ],
    {
      jwks: { keys: [(await newSigningKey("key", "ES256")) as never] },
      scopes: ["openid", "profile", "offline_access"],
      rotateRefreshToken: true,
      issueRefreshToken: () => true,
      ttl: {
        ...{ AccessToken: 3600, AuthorizationCode: 60, Grant: 3600, IdToken: 60, Interaction: 60 },
        ...{ RefreshToken: 3600, Session: 3600 },
      },
    },
  );
}

/** Creates an application whose accounts, with their tokens, are in a shared store. */
export function createRefreshApp(backend: StoreBackend, issuer: string) {
  const events = new AsyncLocalStorage<string[]>();
  const app = createTestAuth({
    preset: standardPreset,
    origin: ORIGIN,
    env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
    strategy: "jwt",
    storageTimeout: STORAGE_TIMEOUT,
    logger: { error() {}, warn() {}, debug() {} },
    providers: [
      {
        ...{ id: "idp", name: "IdP", type: "oidc", issuer, ...CLIENT },
        authorization: { params: { scope: "openid profile" } },
        client: { id_token_signed_response_alg: "ES256" },
      },
    ],
    use: [
      defineStore(backend),
      storeAdapter(),
      accessTokens(),
      definePlugin({
        name: "test/token-events",
        setup(kernel) {
          for (const name of ["tokensRefreshed", "refreshTokenRejected"] as const) {
            kernel.events.hook(name, () => void events.getStore()?.push(name));
          }
        },
      }),
    ],
  });
  const auth = app.auth as typeof app.auth & AccessTokensAuth;

  return {
    /** Signs a user in at the provider. Returns the cookies of the browser and the user's id. */
    async signIn(idp: Idp, login: string): Promise<{ cookie: string; userId: string }> {
      const browser = app.openBrowser(ORIGIN);
      const started = await browser.signIn("idp");
      const asked = new URL(started.headers.get("location") ?? "");
      asked.searchParams.set("login_hint", login);
      const { url } = await idp.visit(asked.href);
      const { pathname, search } = new URL(url);
      await browser.get(pathname + search);
      const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
      return { cookie, userId: (await app.getUserId(browser)) ?? "" };
    },
    /** Lets the stored access token of a user expire. */
    async expire(userId: string): Promise<void> {
      const { adapter } = app.kernel();
      const [account] = (await adapter?.listAccountsByUserId?.(userId)) ?? [];
      if (!account) throw new Error("The user has no account.");
      await adapter?.updateAccount?.({ ...account, expires_at: 1 });
    },
    /** Calls `auth.getAccessToken`. */
    async call({ cookie, delay = 0 }: Call): Promise<Answer> {
      if (delay) await new Promise((resolve) => setTimeout(resolve, delay));
      const caused: string[] = [];
      return events.run(caused, async () => {
        const event = {
          req: new Request(`${ORIGIN}/page`, { headers: { cookie } }),
          res: { headers: new Headers() },
        };
        try {
          const { accessToken } = await auth.getAccessToken(event, { provider: "idp" });
          return { token: accessToken, events: caused };
        } catch (error) {
          const { type, message, cause } = error as AuthError;
          const reason = [message, (cause as { err?: Error } | undefined)?.err?.message].join(" ");
          return { error: type ?? message, reason, events: caused };
        }
      });
    },
  };
}

/** Resolves to whether the provider accepts an access token. */
export async function isAccepted({ issuer }: Idp, token: string | undefined): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${issuer}/me`, { headers })).status === 200;
}
