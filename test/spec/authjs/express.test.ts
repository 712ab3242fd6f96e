import { afterEach, describe, expect, it, vi } from "vitest";
import { EXPRESS } from "./_accepted-express.ts";
import { createJudge } from "./_comparison.ts";
import { EXPRESS_ROWS } from "./_express-rows.ts";
import { loadExpress, runExpress } from "./_express.ts";
import { isInstalled } from "./_libraries.ts";

afterEach(() => vi.unstubAllEnvs());

describe.skipIf(!isInstalled)("@auth/express and keyhook/express", async () => {
  const kinds = isInstalled ? await loadExpress() : [];
  const { judge, listUnused } = createJudge(EXPRESS);

  it.each(EXPRESS_ROWS.map((row) => [row.name, row] as const))(
    "%s: responses and the arguments of `authorize` differ only as accepted",
    async (_, row) => {
      for (const [name, value] of Object.entries(row.env ?? {})) vi.stubEnv(name, value);
      const [authjs, keyhook] = await Promise.all(kinds.map((kind) => runExpress(kind, row)));
      const labels = row.asks.map(({ method = "GET", path, headers, body }) =>
        [method, path, ...Object.values(headers ?? {}), body ?? ""].join(" "),
      );
      expect(judge(row.name, labels, authjs ?? [], keyhook ?? [])).toEqual([]);
    },
  );

  it("every accepted difference of the bindings for Express still exists", () => {
    expect(listUnused()).toEqual([]);
  });
});
