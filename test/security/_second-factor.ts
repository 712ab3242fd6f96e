import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { accountPage } from "../../plugins/pages/account.ts";
import { secondFactor, type SecondFactorOptions } from "../../plugins/security/second-factor.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { hybridStrategy } from "../../plugins/strategies/hybrid.ts";
import { definePreset, defineStore, type User } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing.ts";
import {
  createTestAuth,
  locationOf,
  LOVELACE,
  ORIGIN,
  type TestAuth,
  type TestAuthOptions,
  testPreset,
} from "../_app.ts";

/** The page where a paused login waits, and the page where a signed-in user sets up the factor. */
export const CHALLENGE = "/auth/second-factor";
export const SETUP = "/auth/second-factor/setup";

/** A second factor, as its user has it. */
export interface UserFactor {
  /** Key of the authenticator app, in base32. */
  key: string;
  recoveryCodes: string[];
}

/** An application with second factors. */
export interface FactorApp extends TestAuth {
  /** The events of the plugin: the name, and the id of the user. */
  readonly events: [name: string, userId: string | undefined][];
  /** The events of accepted codes, in the same form. */
  readonly notices: [name: string, userId: string | undefined][];
}

/** Options of the application, and of the plugin. */
export interface FactorAppOptions extends TestAuthOptions {
  factor?: SecondFactorOptions;
}

const preset = definePreset({
  name: "second-factor",
  extends: [testPreset],
  plugins: [databaseStrategy(), hybridStrategy(), accountPage()],
});

/** Creates an application whose users and factors are in one in-memory store. */
export function createFactorApp(options: FactorAppOptions = {}): FactorApp {
  const { factor, use = [], store = memoryBackend(), ...rest } = options;
  const events: FactorApp["events"] = [];
  const notices: FactorApp["notices"] = [];
  const listen =
    (name: string, heard = events) =>
    ({ user }: { user: User }) =>
      void heard.push([name, user.id]);
  const app = createTestAuth({
    preset,
    store,
    events: {
      secondFactorAdded: listen("added"),
      secondFactorRemoved: listen("removed"),
      secondFactorFailed: listen("failed"),
      secondFactorPassed: listen("passed", notices),
      recoveryCodeUsed: listen("used", notices),
      recoveryCodesRenewed: listen("renewed", notices),
    },
    ...rest,
    use: [defineStore(store), secondFactor(factor), ...use],
  });
  return Object.assign(app, { events, notices });
}

/** Computes the code that an authenticator app shows. */
export function codeOf({ key }: Pick<UserFactor, "key">, timestamp: number = Date.now()): string {
  return TOTP.generate({ secret: Secret.fromBase32(key), timestamp });
}

/** Returns a code that is not valid at any time close to now. */
export function wrongCode(factor: Pick<UserFactor, "key">): string {
  const near = new Set(
    Array.from({ length: 41 }, (_, at) => codeOf(factor, Date.now() + (at - 20) * 30_000)),
  );
  const found = Array.from({ length: 50 }, (_, at) => String(at).padStart(6, "0"));
  return found.find((code) => !near.has(code)) ?? "";
}

/** Returns the text of the page's only block of code. */
export function readCode(html: string): string {
  const [, text] = /<pre class="code" dir="ltr">([^<]*)<\/pre>/.exec(html) ?? [];
  assert.ok(text, "The page has no block of code.");
  return text;
}

/** Returns the message of a page. */
export function readMessage(html: string): string | undefined {
  return /<p[^>]* class="(?:error|info) message"[^>]*>([^<]*)</.exec(html)?.[1];
}

/** Submits the first form of a page that posts to a path, with its hidden fields. */
export function submit(
  browser: Browser,
  html: string,
  path: string,
  fields: Record<string, string> = {},
): Promise<Response> {
  const form = html.split("<form").find((part) => part.includes(`action="${ORIGIN}${path}"`));
  assert.ok(form, `The page has no form that posts to ${path}.`);
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  const posted = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
  return browser.post(path, { ...posted, ...fields });
}

/** Opens a page. */
export async function open(browser: Browser, path: string): Promise<string> {
  const response = await browser.get(path);
  assert.equal(response.status, 200, `${path} leads to ${locationOf(response)}`);
  return response.text();
}

/** Sets up a second factor with the page at a path; the response shows the recovery codes. */
export async function setUp(
  browser: Browser,
  path: string = SETUP,
): Promise<UserFactor & { html: string }> {
  const page = await open(browser, path);
  const key = readCode(page).replaceAll(" ", "");
  const response = await submit(browser, page, path, { code: codeOf({ key }) });
  const html = await response.text();
  return { key, recoveryCodes: readCode(html).split("\n"), html };
}

/** Signs Ada in with her password. */
export function enterPassword(browser: Browser): Promise<Response> {
  return browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/inbox" });
}

/** Submits a code on the page of the second factor. */
export async function answer(browser: Browser, code: string): Promise<Response> {
  return submit(browser, await open(browser, CHALLENGE), CHALLENGE, { code });
}

/** An application where Ada has signed in and set up a second factor. */
export interface AdasApp {
  app: FactorApp;
  factor: UserFactor;
  userId: string;
}

/** Creates an application where Ada has signed in and set up a second factor. */
export async function createAdasApp(options: FactorAppOptions = {}): Promise<AdasApp> {
  const app = createFactorApp(options);
  await enterPassword(app.browser);
  const factor = await setUp(app.browser);
  const [[, userId = ""] = []] = app.events.splice(0);
  return { app, factor, userId };
}

/** Opens a browser in which a login of Ada waits for the second factor. */
export async function openPaused(app: FactorApp): Promise<Browser> {
  const browser = app.openBrowser();
  assert.equal(locationOf(await enterPassword(browser)), CHALLENGE);
  return browser;
}
