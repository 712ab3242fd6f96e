import { afterEach, describe, expect, it, vi } from "vitest";
import { createClock } from "../../../src/testing/testing.ts";
import { SVELTEKIT } from "./_accepted-sveltekit.ts";
import { createJudge } from "./_comparison.ts";
import { isInstalled } from "./_libraries.ts";
import { NOW } from "./_run.ts";
import { KIT_ROWS } from "./_sveltekit-rows.ts";
import { loadKit, runKit } from "./_sveltekit.ts";

// What SvelteKit would pass to both.
const kit = vi.hoisted(() => ({ base: "", building: false, env: {} as Record<string, string> }));

vi.mock(
  "@sveltejs/kit",
  () => import("../published/node_modules/@sveltejs/kit/src/exports/index.js" as never),
);
vi.mock("$app/environment", () => ({
  dev: false,
  get building() {
    return kit.building;
  },
}));
vi.mock("$app/paths", () => ({
  get base() {
    return kit.base;
  },
  resolve: (path: string) => kit.base + path,
}));
vi.mock("$env/dynamic/private", () => ({
  get env() {
    return kit.env;
  },
}));
afterEach(() => vi.unstubAllEnvs());

describe.skipIf(!isInstalled)("@auth/sveltekit and keyhook/sveltekit", async () => {
  const kinds = isInstalled ? await loadKit() : [];
  const { judge, listUnused } = createJudge(SVELTEKIT);

  it.each(KIT_ROWS.map((row) => [row.name, row] as const))(
    "%s: results and cookies differ only as accepted",
    async (_, row) => {
      const { base = "", building = false, env = {} } = row;
      vi.stubEnv("DEV", false);
      Object.assign(kit, { base, building, env });
      using _clock = createClock(NOW);
      const seen: object[] = [];
      for (const kind of kinds) seen.push(await runKit(kind, row));
      expect(judge(row.name, ["act"], seen.slice(0, 1), seen.slice(1))).toEqual([]);
    },
  );

  it("every accepted difference of the bindings for SvelteKit still exists", () => {
    expect(listUnused()).toEqual([]);
  });
});
