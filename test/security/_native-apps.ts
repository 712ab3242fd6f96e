import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { accountPage } from "../../plugins/pages/account.ts";
import { bearer } from "../../plugins/security/bearer.ts";
import { nativeApps, type NativeApp } from "../../plugins/security/native-apps.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { hybridStrategy } from "../../plugins/strategies/hybrid.ts";
import { definePreset, defineStore, type Plugin } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing.ts";
import {
  createTestAuth,
  LOVELACE,
  ORIGIN,
  type TestAuth,
  type TestAuthOptions,
  testPreset,
} from "../_app.ts";

export const IOS_URI = "com.acme.app:/signed-in";

export const APPS: Record<string, NativeApp> = {
  ios: { name: "Acme for iOS", redirectUris: [IOS_URI, "https://acme.example/app?from=web"] },
  cli: {
    name: "Acme CLI",
    redirectUris: ["http://127.0.0.1/callback", "http://[::1]/callback"],
    device: true,
  },
};

const preset = definePreset({
  name: "native-apps",
  extends: [testPreset],
  plugins: [databaseStrategy(), hybridStrategy(), accountPage()],
});

/** Options of the pages' application. */
export interface NativeOptions extends TestAuthOptions {
  apps?: Record<string, NativeApp>;
  /** `false`: sessions in cookies without an adapter. */
  stored?: boolean;
  /** Plugins of both Auths. */
  both?: readonly Plugin[];
}

/** The Auth of the pages and the Auth of the API, which share sessions. */
export interface NativeTest {
  web: TestAuth;
  api: TestAuth;
  /** Posts fields as an app does. */
  post(path: string, fields: Record<string, string>, headers?: HeadersInit): Promise<Response>;
  /** Reads the session of an access token at the API. */
  session(token: string): Promise<{ user?: { name?: string }; expires?: string } | null>;
}

/** Creates both Auths. */
export function createNativeTest(options: NativeOptions = {}): NativeTest {
  const {
    apps = APPS,
    stored = true,
    store = memoryBackend(),
    use = [],
    both = [],
    ...rest
  } = options;
  const shared = { preset, ...(stored && { store }), ...rest };
  const web = createTestAuth({
    ...shared,
    use: [defineStore(store), nativeApps({ apps }), ...both, ...use],
  });
  const { events: _, mail: __, ...configured } = shared;
  const api = createTestAuth({ ...configured, basePath: "/api/auth", use: [bearer(), ...both] });
  return {
    web,
    api,
    post: (path, fields, headers = {}) =>
      web.auth.fetch(
        new Request(ORIGIN + path, { method: "POST", headers, body: new URLSearchParams(fields) }),
      ),
    async session(token) {
      const headers = { authorization: `Bearer ${token}` };
      const response = await api.auth.fetch(new Request(`${ORIGIN}/api/auth/session`, { headers }));
      return (await response.json()) as Awaited<ReturnType<NativeTest["session"]>>;
    },
  };
}

export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

export const toChallenge = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

/** Builds the URL at which an app opens the browser; `undefined` leaves a parameter out. */
export function authorizePath(over: Record<string, string | undefined> = {}): string {
  const query = {
    response_type: "code",
    client_id: "ios",
    redirect_uri: IOS_URI,
    code_challenge: toChallenge(VERIFIER),
    code_challenge_method: "S256",
    state: "st 1&/",
    ...over,
  };
  const given = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return `/auth/authorize?${new URLSearchParams(given)}`;
}

const unescape = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");

/** Reads the first form of a page: its action and its hidden fields. */
export function readForm(html: string): { action: string; fields: Record<string, string> } {
  const [form] = /<form[\s\S]*?<\/form>/.exec(html) ?? [];
  assert.ok(form, "The page has no form.");
  const action = unescape(/action="([^"]*)"/.exec(form)?.[1] ?? "").replace(ORIGIN, "");
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return {
    action,
    fields: Object.fromEntries(hidden.map(([, name, value]) => [name, unescape(value ?? "")])),
  };
}

/** Submits the first form of a page. */
export async function submitForm(
  browser: Browser,
  response: Response,
  over: Record<string, string> = {},
): Promise<Response> {
  const { action, fields } = readForm(await response.text());
  return browser.post(action, { ...fields, ...over });
}

/** Signs Ada in, in a browser. */
export const signIn = (browser: Browser): Promise<Response> =>
  browser.signInWith("credentials", LOVELACE);

/** Approves an app in a browser. Resolves to the URL that this leads to. */
export async function allow(browser: Browser, path: string = authorizePath()): Promise<URL> {
  const response = await submitForm(browser, await browser.get(path));
  const location = response.headers.get("location");
  assert.ok(location, `status ${response.status}`);
  return new URL(location);
}

/** Builds the fields that an app posts to redeem a code. */
export const redemption = (
  code: string,
  over: Record<string, string> = {},
): Record<string, string> => ({
  grant_type: "authorization_code",
  client_id: "ios",
  redirect_uri: IOS_URI,
  code_verifier: VERIFIER,
  code,
  ...over,
});

/** The response of the token endpoint. */
export interface TokenResponse {
  access_token: string;
  token_type: string;
  expires_in: number;
  error?: string;
}

/** Approves an app in a browser that is signed in, and redeems the code. */
export async function getToken(
  test: NativeTest,
  browser = test.web.browser,
): Promise<TokenResponse> {
  const code = (await allow(browser)).searchParams.get("code") ?? "";
  const response = await test.post("/auth/token", redemption(code));
  return (await response.json()) as TokenResponse;
}

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** The response to a device that starts a sign-in. */
export interface DeviceStart {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

/** Starts the sign-in of a device. */
export async function startDevice({ post }: NativeTest, client = "cli"): Promise<DeviceStart> {
  return (
    await post("/auth/device-authorization", { client_id: client })
  ).json() as Promise<DeviceStart>;
}

/** Requests the token of a device. */
export async function poll(
  { post }: NativeTest,
  { device_code: code }: Pick<DeviceStart, "device_code">,
  over: Record<string, string> = {},
): Promise<TokenResponse> {
  const fields = { grant_type: DEVICE_GRANT, client_id: "cli", device_code: code, ...over };
  return (await post("/auth/token", fields)).json() as Promise<TokenResponse>;
}

/** Types the user code of a device in a browser. */
export async function typeCode(browser: Browser, code: string): Promise<Response> {
  return submitForm(browser, await browser.get("/auth/device"), { user_code: code });
}
