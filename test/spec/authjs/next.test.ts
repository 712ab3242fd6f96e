import { afterEach, describe, expect, it, vi } from "vitest";
import { createClock } from "../../../src/testing/testing.ts";
import { BINDINGS } from "./_accepted-bindings.ts";
import { createJudge } from "./_comparison.ts";
import { isInstalled } from "./_libraries.ts";
import { ROWS } from "./_next-cases.ts";
import { loadNext, runNext } from "./_next.ts";
import { NOW } from "./_run.ts";

vi.mock("next/headers.js", () => import("../../bindings/_next.ts"));
vi.mock("next/navigation", () => import("../published/node_modules/next/navigation.js" as never));
vi.mock("next/server.js", () => import("../published/node_modules/next/server.js" as never));
vi.mock("../published/node_modules/next/headers.js", () => import("../../bindings/_next.ts"));
afterEach(() => vi.unstubAllEnvs());

describe.skipIf(!isInstalled)("next-auth 5 and keyhook/next", async () => {
  const kinds = isInstalled ? await loadNext() : [];
  const { judge, listUnused } = createJudge(BINDINGS);

  describe.each(["jwt", "database"] as const)("with sessions of the strategy %s", (strategy) => {
    it.each(ROWS.map((row) => [row.name, row] as const))(
      "%s: results and cookies differ only as accepted",
      async (_, row) => {
        for (const [name, value] of Object.entries(row.env ?? {})) vi.stubEnv(name, value);
        using _clock = createClock(NOW);
        const seen: object[] = [];
        for (const kind of kinds) {
          const app = await runNext(kind, { strategy, ...row.app });
          seen.push({ ...((await row.act(app)) as object), calls: app.calls });
        }
        expect(
          judge(`${row.name} (${strategy})`, ["act"], seen.slice(0, 1), seen.slice(1)),
        ).toEqual([]);
      },
    );
  });

  it("every accepted difference of the bindings still exists", () => {
    expect(listUnused()).toEqual([]);
  });
});
