import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser as Chromium, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../src/testing/testing.ts";
import { LOVELACE } from "../_app.ts";
import { closeAll, isLeftOut, launch } from "../e2e/_chromium.ts";
import { type App, findFile, isInstalled, startApp } from "./_app.ts";
import { migrate } from "./_migrate.ts";
import { signIn, testWalk } from "./_walk.ts";

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SESSION = "authjs.session-token";
const HTML = { headers: { accept: "text/html" } };

const setCookies = (response: Response) =>
  response.headers.getSetCookie().filter((cookie) => cookie.startsWith(`${SESSION}=`));

const getPath = (response: Response) => {
  const { pathname, search } = new URL(response.headers.get("location") ?? "", "http://localhost");
  return pathname + search;
};

/** Posts a form action as the page's script does. */
async function enhance(app: App, browser: Browser, path: string, fields: object = {}) {
  const headers = { accept: "application/json", "x-sveltekit-action": "true" };
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const body = new URLSearchParams({ ...fields });
  const init = { method: "POST", headers: { ...headers, cookie, origin: app.origin }, body };
  return (await fetch(app.origin + path, init)).json() as Promise<Record<string, unknown>>;
}

/** Runs the type check of Svelte, and returns what it wrote. */
function checkTypes(name: string): string {
  const check = findFile(name, "svelte-check", "bin/svelte-check");
  const command = [check, "--output", "machine"];
  return execFileSync(process.execPath, command, { cwd: folder(name), encoding: "utf8" });
}

/** The sources of both versions are the same. */
function copySources(): void {
  rmSync(folder("sveltekit-2/src"), { recursive: true, force: true });
  cpSync(folder("sveltekit-3/src"), folder("sveltekit-2/src"), { recursive: true });
}

describe.skipIf(!isInstalled).each(["sveltekit-3", "sveltekit-2"])(
  "keyhook/sveltekit in %s",
  (name) => {
    let app: App;
    beforeAll(async () => {
      copySources();
      app = await startApp(name, [findFile(name, "vite", "bin/vite.js"), "build"], {
        command: ["server.js"],
      });
    });
    afterAll(() => app?.close());

    testWalk(() => app);

    it("a form action signs in, and redirects to the target", async () => {
      const browser = app.open();
      const form = { providerId: "credentials", ...LOVELACE, redirectTo: "/locked" };
      const response = await browser.post("/signin", form);
      expect([response.status, getPath(response)]).toEqual([303, "/locked"]);
      expect(setCookies(response)).toHaveLength(1);
      expect(response.headers.get("cache-control")).toBe("private, no-store");
      expect(await (await browser.get("/")).text()).toContain('<p id="home">Ada</p>');
    });

    it("a form action signs out, and the page of the same request has no session", async () => {
      const ada = await signIn(app);
      const quiet = await ada.post("/signout", { redirect: "" });
      expect(quiet.status).toBe(200);
      expect(await quiet.text()).not.toContain("Ada");
      expect(await ada.session()).toBeNull();
      const again = await signIn(app);
      const response = await again.post("/signout", { redirectTo: "/open" });
      expect([response.status, getPath(response)]).toEqual([303, "/open"]);
      expect(await again.session()).toBeNull();
    });

    it("the components post to pages of the application, and accept slots as in Auth.js", async () => {
      const page = await (await app.open().get("/signin")).text();
      expect(page).toContain('action="/signin" method="post"');
      expect(page).toMatch(/<button type="submit">.*<b slot="submitButton">by a slot<\/b>/);
    });

    it("a form action without a provider redirects to the sign-in page", async () => {
      const response = await app.open().post("/signin", { redirectTo: "/locked" });
      const target = getPath(response);
      expect(target).toContain("/auth/signin?callbackUrl=");
      expect(decodeURIComponent(target)).toContain("/locked");
    });

    it("a form action redirects to an OpenID provider on another site, with its parameters", async () => {
      const browser = app.open();
      const form = {
        providerId: "op",
        redirectTo: "/locked",
        "authorizationParams-login_hint": "ada",
      };
      const response = await browser.post("/signin", form);
      expect(response.status).toBe(303);
      const location = response.headers.get("location") ?? "";
      expect(location).toContain(app.op.issuer);
      expect(new URL(location).searchParams.get("login_hint")).toBe("ada");
      const { url } = await app.op.authorize(location);
      expect(getPath(await browser.get(url))).toBe("/locked");
      expect(await (await browser.get("/locked")).text()).toContain("Ada Lovelace");
      const enhanced = await enhance(app, app.open(), "/signin", form);
      expect(enhanced).toMatchObject({ type: "redirect", status: 303 });
      expect(enhanced.location).toContain(app.op.issuer);
    });

    it("a wrong password is thrown to the caller of signIn", async () => {
      const browser = app.open();
      const form = { providerId: "credentials", username: "ada", password: "wrong" };
      const response = await browser.post("/signin", form);
      expect(response.status).toBe(500);
      expect(await browser.session()).toBeNull();
    });

    it("an action that fails for a wrong password shows it on the page", async () => {
      const browser = app.open();
      const form = { providerId: "credentials", username: "ada", password: "wrong" };
      const response = await browser.post("/login?/signIn", form);
      expect(response.status).toBe(401);
      expect(await response.text()).toContain('<p id="failed">CredentialsSignin credentials</p>');
      const enhanced = await enhance(app, browser, "/login?/signIn", form);
      expect(enhanced).toMatchObject({ type: "failure", status: 401 });
      expect(await browser.session()).toBeNull();
      const right = await browser.post("/login?/signIn", { ...form, ...LOVELACE, redirectTo: "/" });
      expect([right.status, getPath(right)]).toEqual([303, "/"]);
      expect(await browser.session()).not.toBeNull();
    });

    it("an update is visible in the page of the same request", async () => {
      const ada = await signIn(app);
      const response = await ada.post("/rename");
      expect(await response.text()).toContain('<p id="name">Countess</p>');
      expect(setCookies(response)).toHaveLength(1);
      expect(await ada.session()).toMatchObject({ user: { name: "Countess" } });
    });

    it("a thrown error keeps its status after a read, the renewed cookie, and stays private", async () => {
      const response = await (await signIn(app)).get("/fails");
      expect(response.status).toBe(418);
      expect(setCookies(response)).toHaveLength(1);
      expect(response.headers.get("cache-control")).toBe("private, no-store");
    });

    it("a session that is first read in a streamed promise is available, and is not renewed", async () => {
      const ada = await signIn(app);
      const response = await ada.get("/streamed");
      expect(response.status).toBe(200);
      expect(setCookies(response)).toEqual([]);
      expect(await response.text()).toContain("Ada");
      expect(await ada.session()).not.toBeNull();
    });

    it("a session that is first read in a streamed promise is refused if caches store the page", async () => {
      const text = await (await (await signIn(app)).get("/streamed?shared")).text();
      expect(text).not.toContain("Ada");
    });

    it("a prerendered page has no session", async () => {
      const ada = await signIn(app);
      for (const browser of [ada, app.open()]) {
        const page = await browser.get("/static");
        expect(page.status).toBe(200);
        expect(page.headers.getSetCookie()).toEqual([]);
        expect(await page.text()).toContain('<p id="static">nobody</p>');
      }
    });

    it("the application decides on caching of a page that does not read the session", async () => {
      const page = await (await signIn(app)).get("/open");
      expect(page.headers.get("cache-control")).toBe("public, max-age=60");
      expect(page.headers.getSetCookie()).toEqual([]);
    });

    it("despite caching headers of a hook in front, no cache stores the routes or a page that reads the session", async () => {
      const ada = await signIn(app);
      const ask = async (path: string) => {
        const { headers } = await ada.get(path, { headers: { "x-stored": "1" } });
        return headers.get("cache-control");
      };
      expect(await ask("/auth/session")).toBe("private, no-store");
      expect(await ask("/auth/csrf")).toBe("private, no-store");
      expect(await ask("/")).toBe("private, no-store");
      expect(await ask("/open")).toBe("public, s-maxage=600");
    });

    it("the guard calls `authorized` for pages, their data, and form actions", async () => {
      const stranger = app.open();
      const page = await stranger.get("/guarded?x=1", HTML);
      expect(page.status).toBe(302);
      const target = new URL(page.headers.get("location") ?? "");
      expect([target.pathname, target.searchParams.get("callbackUrl")]).toEqual([
        "/auth/signin",
        `${app.origin}/guarded?x=1`,
      ]);
      const data = await stranger.get("/guarded/__data.json?x-sveltekit-invalidated=01");
      const { type, location } = (await data.json()) as { type: string; location: string };
      expect(type).toBe("redirect");
      expect(new URL(location, app.origin).searchParams.get("callbackUrl")).toBe(
        `${app.origin}/guarded`,
      );
      const action = await enhance(app, stranger, "/guarded");
      expect(action).toMatchObject({ type: "redirect", status: 303 });
      const posted = await stranger.post("/guarded");
      expect([posted.status, getPath(posted).split("?")[0]]).toEqual([303, "/auth/signin"]);
      const ada = await signIn(app);
      expect((await ada.get("/guarded", HTML)).status).toBe(200);
      expect(await enhance(app, ada, "/guarded")).toMatchObject({ type: "success" });
    });

    it("the data of a guarded page redirects a visitor without a session to the sign-in page and back to the page", async () => {
      const data = await app.open().get("/locked/__data.json?x-sveltekit-invalidated=111");
      const text = await data.text();
      expect(text).toContain('"type":"redirect"');
      expect(text).toContain(encodeURIComponent(`${app.origin}/locked`));
      expect(text).not.toContain("__data");
    });

    it("a form_post of a trusted origin reaches the callback, and another one does not", async () => {
      const post = (origin: string) => {
        const body = new URLSearchParams({ state: "made-up", code: "made-up" });
        const init = { method: "POST", headers: { origin }, body, redirect: "manual" as const };
        return fetch(`${app.origin}/auth/callback/op`, init);
      };
      expect((await post("https://evil.example")).status).toBe(403);
      // The callback fails, because the state is made up.
      expect((await post("https://appleid.apple.com")).status).toBe(400);
    });

    it("the types of events, actions, data and components pass svelte-check", () => {
      expect(checkTypes(name)).toMatch(/COMPLETED \d+ FILES 0 ERRORS 0 WARNINGS/);
    });

    it("neither the build nor the server warns about the binding", () => {
      expect(app.output()).not.toMatch(
        /authorized-unused|MissingSecret|deprecated|keyhook.*not found/i,
      );
    });

    describe.skipIf(isLeftOut || name !== "sveltekit-3")("in a browser", () => {
      let chromium: Chromium;
      beforeAll(async () => {
        chromium = await launch();
      });
      afterAll(() => chromium?.close());

      const visit = async (run: (page: Page, asked: string[]) => Promise<void>) => {
        const context = await chromium.newContext({ baseURL: app.origin });
        const page = await context.newPage();
        const asked: string[] = [];
        const said: string[] = [];
        page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
        page.on("console", (message) => {
          if (["error", "warning"].includes(message.type())) said.push(message.text());
        });
        page.on("pageerror", (error) => void said.push(String(error)));
        await run(page, asked);
        await closeAll([context]);
        return said;
      };
      const fillIn = async (page: Page, password = LOVELACE.password) => {
        await page.fill('input[name="username"]', LOVELACE.username);
        await page.fill('input[name="password"]', password);
        await page.press('input[name="password"]', "Enter");
      };
      const seen = (page: Page, text: string) =>
        page.locator("#state", { hasText: text }).waitFor();
      const listAuth = (asked: string[]) => asked.filter((path) => path.startsWith("/auth/"));

      it("an enhanced sign-in shows its failure, then redirects, and the store follows without a request", async () => {
        const said = await visit(async (page, asked) => {
          await page.goto("/login", { waitUntil: "networkidle" });
          await seen(page, "unauthenticated");
          asked.length = 0;
          await fillIn(page, "wrong");
          await page.locator("#failed", { hasText: "CredentialsSignin" }).waitFor();
          await fillIn(page);
          await page.locator("#locked", { hasText: "Ada" }).waitFor();
          await seen(page, "authenticated Ada");
          expect(listAuth(asked)).toEqual([]);
        });
        // Chromium reports the failed response.
        expect(said.filter((text) => !text.includes("401"))).toEqual([]);
      });

      it("the store follows an enhanced action that changes the session", async () => {
        const said = await visit(async (page) => {
          await page.goto("/login", { waitUntil: "networkidle" });
          await fillIn(page);
          await page.locator("#locked").waitFor();
          await page.goto("/rename", { waitUntil: "networkidle" });
          await page.click("button");
          await seen(page, "Countess");
        });
        expect(said).toEqual([]);
      });

      it("a page that was rendered with the session sends no request to the server", async () => {
        const said = await visit(async (page, asked) => {
          await page.goto("/login", { waitUntil: "networkidle" });
          await fillIn(page);
          await page.locator("#locked").waitFor();
          asked.length = 0;
          await page.goto("/", { waitUntil: "networkidle" });
          await seen(page, "authenticated Ada");
          expect(listAuth(asked)).toEqual([]);
          await page.goto("/static", { waitUntil: "networkidle" });
          await seen(page, "authenticated Ada");
          expect(listAuth(asked)).toEqual(["/auth/session"]);
        });
        expect(said).toEqual([]);
      });

      it.each(["/locked", "/guarded"])(
        "a link to %s redirects a visitor without a session to the sign-in page and back",
        async (path) => {
          await visit(async (page) => {
            await page.goto("/open", { waitUntil: "networkidle" });
            await page.click(`a[href="${path}"]`);
            await page.waitForURL(/\/auth\/signin/);
            await fillIn(page);
            await page.waitForURL(`${app.origin}${path}`);
            await seen(page, "Ada");
          });
        },
      );

      it("the component SignIn signs in by the OpenID provider", async () => {
        await visit(async (page) => {
          await page.goto("/", { waitUntil: "networkidle" });
          await page.locator("form.signInButton").first().locator("button").click();
          await page.waitForURL(`${app.origin}/locked`);
          await seen(page, "Ada Lovelace");
        });
      });

      it("the component SignOut signs out", async () => {
        const said = await visit(async (page) => {
          await page.goto("/login", { waitUntil: "networkidle" });
          await fillIn(page);
          await page.locator("#locked").waitFor();
          await page.goto("/", { waitUntil: "networkidle" });
          await page.click("form.signOutButton button");
          await page.locator("#home", { hasText: "nobody" }).waitFor();
          await seen(page, "unauthenticated");
        });
        expect(said).toEqual([]);
      });
    });
  },
);

// The changes that the guide describes.
const CHANGES: readonly [from: string, to: string][] = [
  ['"@auth/sveltekit"', '"keyhook/sveltekit"'],
  ['"@auth/sveltekit/providers/', '"keyhook/providers/'],
  ['"@auth/sveltekit/components"', '"keyhook/svelte"'],
];

describe.skipIf(!isInstalled)("an application of @auth/sveltekit with changed imports", () => {
  const name = "sveltekit-migrated";
  let app: App;
  beforeAll(async () => {
    migrate("sveltekit-authjs", name, CHANGES);
    app = await startApp(name, [findFile(name, "vite", "bin/vite.js"), "build"], {
      command: ["server.js"],
      variables: { AUTH_GITHUB_ID: "id", AUTH_GITHUB_SECRET: "secret" },
    });
  });
  afterAll(() => app?.close());

  it("its page redirects a visitor without a session to the sign-in page, which has the provider", async () => {
    const stranger = app.open();
    const page = await stranger.get("/protected");
    expect([page.status, getPath(page)]).toEqual([303, "/auth/signin"]);
    expect(await (await stranger.get("/auth/signin")).text()).toContain("Sign in with GitHub");
  });

  it("its component SignIn posts to its form action, which redirects to the provider", async () => {
    const browser = app.open();
    expect(await (await browser.get("/")).text()).toMatch(
      /action="\/signin" method="post".*name="providerId" value="github"/s,
    );
    const response = await browser.post("/signin", { providerId: "github", redirectTo: "/" });
    const location = new URL(response.headers.get("location") ?? "");
    expect([location.origin, location.searchParams.get("client_id")]).toEqual([
      "https://github.com",
      "id",
    ]);
  });

  it("its form signs in, its callbacks shape the session, and its component SignOut signs out", async () => {
    const ada = app.open();
    const form = { providerId: "credentials", ...LOVELACE, redirectTo: "/protected" };
    expect(getPath(await ada.post("/signin", form))).toBe("/protected");
    expect(await (await ada.get("/protected")).text()).toContain("Protected page of Ada");
    expect(await ada.session()).toMatchObject({ user: { name: "Ada" }, role: "admin" });
    expect(await (await ada.get("/")).text()).toContain('action="/signout" method="post"');
    expect((await ada.post("/signout", { redirectTo: "/" })).status).toBe(303);
    expect(await ada.session()).toBeNull();
  });

  it("its types pass svelte-check", () => {
    expect(checkTypes(name)).toMatch(/COMPLETED \d+ FILES 0 ERRORS 0 WARNINGS/);
  });
});
