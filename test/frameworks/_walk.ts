import { expect, it } from "vitest";
import type { Browser } from "../../src/testing/testing.ts";
import { LOVELACE } from "../_app.ts";
import type { App } from "./_app.ts";
import { testAttacks } from "./_attack.ts";

const JSON_ONLY = { headers: { accept: "application/json" } };
const SESSION = "authjs.session-token";

const setCookies = (response: Response) =>
  response.headers.getSetCookie().filter((cookie) => cookie.startsWith(`${SESSION}=`));

/** Posts the form of the sign-in page. */
async function postPassword(browser: Browser, password: string, callbackUrl = "/") {
  return browser.signInWith("credentials", { ...LOVELACE, password, callbackUrl });
}

/** Signs Ada in. */
export async function signIn(app: App): Promise<Browser> {
  const browser = app.open();
  await postPassword(browser, LOVELACE.password);
  return browser;
}

/** How the applications of a framework differ. */
export interface WalkOptions {
  /** Paths that refuse a stranger's request for JSON with 401. Default: `/api/me` and `/locked`. */
  readonly refused?: readonly string[];
  /** Paths that read the session, the last one twice. Default: all four. */
  readonly reads?: readonly string[];
  /** Status of the redirect to the sign-in page. Default 302. */
  readonly redirect?: number;
  /** Status of a path that nearly matches the guarded page. Default: a redirect, a refusal, or 404. */
  readonly nearly?: readonly number[];
  /** Where its routes are. Default `/auth`. */
  readonly basePath?: string;
  /** Whether it trusts `X-Forwarded-Host`, as behind a proxy. Default false. */
  readonly trustHost?: boolean;
}

const isPrivate = (response: Response): boolean => {
  const value = response.headers.get("cache-control") ?? "";
  return value.includes("private") && value.includes("no-store");
};

/**
 * Tests what every application of this folder must do. Each has `/` (the name of the user, if any), `/locked` (a
 * guarded page), `/api/me` (a guarded API) and `/api/twice` (two reads).
 */
export function testWalk(
  getApp: () => App,
  {
    basePath = "/auth",
    refused = ["/api/me", "/locked"],
    reads = ["/", "/locked", "/api/me", "/api/twice"],
    redirect = 302,
    nearly = [302, 307, 308, 401, 404, 400],
    trustHost = false,
  }: WalkOptions = {},
): void {
  it("a visitor without a session sees the public page, and no cache stores it", async () => {
    const page = await getApp().open().get("/");
    expect(page.status).toBe(200);
    expect(await page.text()).not.toContain("Ada");
    expect(isPrivate(page)).toBe(true);
  });

  it("a visitor without a session is redirected from the guarded page to the sign-in page, which leads back", async () => {
    const { origin, open } = getApp();
    const page = await open().get("/locked?x=1");
    expect(page.status).toBe(redirect);
    const target = new URL(page.headers.get("location") ?? "", origin);
    expect(target.pathname).toBe(`${basePath}/signin`);
    const callbackUrl = new URL(target.searchParams.get("callbackUrl") ?? "", origin);
    expect(callbackUrl.href).toBe(`${origin}/locked?x=1`);
  });

  it.each(["/LOCKED", "/%6cocked", "//locked", "/locked/", "/locked/_payload.json"])(
    "a visitor without a session does not get %s",
    async (path) => {
      const { origin, open } = getApp();
      const response = await open().get(origin + path);
      expect(nearly).toContain(response.status);
      expect(await response.text()).not.toContain("the locked page");
    },
  );

  it("an API call without a session gets 401 and the reason", async () => {
    const { open } = getApp();
    for (const path of refused) {
      const response = await open().get(path, JSON_ONLY);
      expect(response.status).toBe(401);
      expect(await response.text()).toContain("SessionRequired");
    }
  });

  it("the sign-in page lists the providers", async () => {
    const page = await (await getApp().open().get(`${basePath}/signin`)).text();
    expect(page).toContain("Example");
    expect(page).toContain('name="password"');
  });

  it("a wrong password signs no one in", async () => {
    const browser = getApp().open();
    const response = await postPassword(browser, "wrong");
    expect(response.headers.get("location")).toContain("error=CredentialsSignin");
    expect(await browser.session()).toBeNull();
  });

  it("the correct password signs in, and the server renders pages with the session", async () => {
    const { origin, open } = getApp();
    const browser = open();
    const response = await postPassword(browser, LOVELACE.password, "/locked");
    expect(response.headers.get("location")).toBe(`${origin}/locked`);
    expect(await (await browser.get("/")).text()).toContain("Ada");
    expect(await (await browser.get("/locked")).text()).toContain("Ada");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(await (await browser.get("/api/me", JSON_ONLY)).json()).toMatchObject({ name: "Ada" });
  });

  it("a page renews the session once, however often it is read", async () => {
    const browser = await signIn(getApp());
    for (const path of reads) {
      const response = await browser.get(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(setCookies(response)).toHaveLength(1);
      expect([path, isPrivate(response)]).toEqual([path, true]);
    }
  });

  it("a POST without the CSRF token signs no one in or out", async () => {
    const stranger = getApp().open();
    await stranger.post(`${basePath}/callback/credentials`, LOVELACE);
    expect(await stranger.session()).toBeNull();
    const ada = await signIn(getApp());
    await ada.post(`${basePath}/signout`);
    expect(await ada.session()).not.toBeNull();
  });

  it("signing out also ends the session of the pages", async () => {
    const browser = await signIn(getApp());
    await browser.signOut();
    expect(await browser.session()).toBeNull();
    expect(await (await browser.get("/")).text()).not.toContain("Ada");
    expect((await browser.get("/locked")).status).toBe(redirect);
  });

  it("an OpenID provider signs in", async () => {
    const { op, open, origin } = getApp();
    const browser = open();
    const started = await browser.signIn("op", { callbackUrl: "/locked" });
    const { url } = await op.authorize(started.headers.get("location") ?? "");
    const back = await browser.get(url);
    expect(new URL(back.headers.get("location") ?? "", origin).pathname).toBe("/locked");
    expect(await (await browser.get("/locked")).text()).toContain("Ada Lovelace");
  });

  it("requests without a session log no errors", async () => {
    const app = getApp();
    await app.open().get("/api/me", JSON_ONLY);
    expect(app.output()).not.toMatch(/unhandled|SessionRequired/);
  });

  testAttacks(getApp, basePath, trustHost);
}
