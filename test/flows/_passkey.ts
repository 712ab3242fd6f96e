import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import type { Adapter, AuthContext } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing/testing.ts";
import { createTestAuth, ENV, ORIGIN, type TestAuth, type TestAuthOptions } from "../_app.ts";
import type { Change } from "./_authenticator.ts";

export const ADA = "ada@example.com";

/** The response of `GET /webauthn-options/:provider`. */
export interface Given {
  action: "authenticate" | "register";
  // oxlint-disable-next-line typescript/no-redundant-type-constituents
  options: {
    challenge: string;
    rpId: string;
    rp: { id: string; name: string };
    user: { id: string; name: string; displayName: string };
    allowCredentials?: { id: string; transports?: string[] }[];
    excludeCredentials?: { id: string; transports?: string[] }[];
    pubKeyCredParams: { alg: number }[];
    authenticatorSelection: Record<string, unknown>;
    userVerification: string;
    timeout: number;
    attestation: string;
  };
}

/** An application with passkeys and an in-memory adapter. */
export interface PasskeyApp extends TestAuth {
  events: string[];
  /** Requests options. */
  fetchOptions(query: Record<string, string>, browser?: Browser): Promise<Given>;
  /** Posts a WebAuthn response. */
  respond(action: string, data: unknown, browser?: Browser): Promise<Response>;
  /** Runs a whole registration. */
  register(email?: string, change?: Change, browser?: Browser): Promise<Response>;
  /** Runs a whole sign-in without a user name. */
  signIn(change?: Change, browser?: Browser): Promise<Response>;
  /** Runs a function within a request of this browser. */
  runInRequest<T>(work: (ctx: AuthContext) => Promise<T>, browser?: Browser): Promise<T>;
}

/** Methods that the adapter contract of Auth.js does not have. */
export const OWN: readonly (keyof Adapter)[] = [
  "createUserWithAccount",
  "updateAccount",
  "extendSession",
  "deleteSessionsByUserId",
  "revokeUserAccess",
  "recordAuthenticatorUse",
  "deleteAuthenticator",
  "removeSignInMethod",
];

export function createPasskeyApp(options: TestAuthOptions = {}): PasskeyApp {
  const events: string[] = [];
  let work: ((ctx: AuthContext) => Promise<unknown>) | undefined;
  const base = createTestAuth({
    preset: standardPreset,
    errors: "read",
    env: { ...ENV, AUTH_URL: ORIGIN },
    strategy: "database",
    record: true,
    passkey: {},
    events: {
      createUser: () => void events.push("createUser"),
      linkAccount: () => void events.push("linkAccount"),
      signIn: () => void events.push("signIn"),
    },
    ...(!options.adapter && { store: memoryBackend() }),
    ...options,
    use: [
      {
        name: "test",
        setup: (kernel) =>
          kernel.addRoute({
            method: "GET",
            path: "/within",
            handler: async (ctx) => ctx.json({ done: await work?.(ctx) }),
          }),
      },
      ...(options.use ?? []),
    ],
  });
  const { authenticator } = base;

  const app: PasskeyApp = Object.assign(base, {
    events,
    async fetchOptions(query: Record<string, string>, from = base.browser) {
      const response = await from.get(
        `/auth/webauthn-options/passkey?${new URLSearchParams(query)}`,
      );
      return (await response.json()) as Given;
    },
    respond(action: string, data: unknown, from = base.browser) {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      return from.signInWith("passkey", { action, data: text });
    },
    async register(email = ADA, change: Change = {}, from = base.browser) {
      const { options: given } = await app.fetchOptions({ action: "register", email }, from);
      return app.respond("register", await authenticator.create(given, change), from);
    },
    async signIn(change: Change = {}, from = base.browser) {
      const { options: given } = await app.fetchOptions({ action: "authenticate" }, from);
      return app.respond("authenticate", await authenticator.get(given, change), from);
    },
    async runInRequest<T>(run: (ctx: AuthContext) => Promise<T>, from = base.browser) {
      work = run;
      const response = await from.get("/auth/within");
      return ((await response.json()) as { done: T }).done;
    },
  });
  return app;
}
