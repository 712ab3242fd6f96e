import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, isInstalled, startApp, startWorker } from "./_app.ts";
import { signIn, testWalk } from "./_walk.ts";

const builds = {
  "nitro-2": ["../node_modules/nitropack/dist/cli/index.mjs", "build"],
  "nitro-3": ["../node_modules/nitro/dist/cli/index.mjs", "build"],
};

const servers = Object.entries(builds).flatMap(([name, build]) => [
  { name, runtime: "Node", start: () => startApp(name, build) },
  { name, runtime: "workerd", start: () => startWorker(name, build) },
]);

describe.skipIf(!isInstalled).each(servers)("keyhook/nitro in $name on $runtime", ({ start }) => {
  let app: App;
  beforeAll(async () => {
    app = await start();
  });
  afterAll(() => app?.close());

  testWalk(() => app);

  it("a rule of a longer path decides for it", async () => {
    expect((await app.open().get("/locked/open")).status).toBe(200);
  });

  it("a cached handler never has a session to keep", async () => {
    const ada = await signIn(app);
    for (const browser of [ada, app.open()]) {
      const response = await browser.get("/cached");
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain("Ada");
    }
  });

  it("a thrown error keeps its status after a read", async () => {
    const ada = await signIn(app);
    expect((await ada.get("/api/fails")).status).toBe(418);
  });
});
