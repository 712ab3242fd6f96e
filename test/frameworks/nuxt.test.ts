import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, isInstalled, startApp } from "./_app.ts";
import { signIn, testWalk } from "./_walk.ts";

const builds = {
  "nuxt-4": ["../node_modules/nuxt/bin/nuxt.mjs", "build"],
  "nuxt-5": ["node_modules/nuxt/bin/nuxt.mjs", "build"],
};

describe.skipIf(!isInstalled).each(Object.entries(builds))("keyhook/nuxt in %s", (name, build) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(name, build);
  });
  afterAll(() => app?.close());

  testWalk(() => app);

  it("components and fetches of the server have the session, and so has the payload", async () => {
    const page = await (await (await signIn(app)).get("/")).text();
    expect(page).toContain('<p id="home">authenticated Ada Ada true Ada</p>');
    expect(page).toContain('<p id="state">Ada</p>');
    const [, payload] = /id="__NUXT_DATA__"[^>]*>([^<]*)</.exec(page) ?? [];
    expect(payload).toContain("ada@example.com");
    expect(payload).not.toContain("eyJ");
  });

  it("an API below a rule is guarded as pages are", async () => {
    const json = { headers: { accept: "application/json" } };
    expect((await app.open().get("/api/private/secret", json)).status).toBe(401);
    const ada = await signIn(app);
    expect(await (await ada.get("/api/private/secret", json)).json()).toEqual({ secret: true });
  });

  it("definePageMeta({ auth }) is held by the server", async () => {
    const page = await app.open().get("/meta");
    expect(page.status).toBe(302);
    expect(page.headers.get("location")).toBe("/auth/signin?callbackUrl=%2Fmeta");
    const ada = await signIn(app);
    expect(await (await ada.get("/meta")).text()).toContain("the page with meta");
    expect((await app.open().get("/guest")).status).toBe(200);
    const guest = await ada.get("/guest");
    expect([guest.status, guest.headers.get("location")]).toEqual([302, "/"]);
  });

  it.each(["/cached", "/static", "/spa"])(
    "%s, rendered for all visitors, has nothing of the user who asked first",
    async (path) => {
      const ada = await signIn(app);
      for (const browser of [ada, ada, app.open()]) {
        const page = await browser.get(path);
        expect(page.status).toBe(200);
        expect(page.headers.getSetCookie()).toEqual([]);
        expect(await page.text()).not.toContain("Ada");
      }
    },
  );

  it("the build warns of nothing in the module", () => {
    expect(app.output()).not.toMatch(/NUXT_B9002|NUXT_B9003|keyhook.*(?:deprecated|not found)/);
  });
});
