import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { applyMutant, listMutants } from "./_mutant.ts";
import { MUTANTS } from "./_table.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(root + file, "utf8");
const all = listMutants(MUTANTS);

describe("the table of defects that the tests must notice", () => {
  it("covers every part that decides about access", () => {
    expect(all.length).toBeGreaterThan(500);
    const folders = new Set(MUTANTS.map(({ file }) => file.split("/").slice(0, -1).join("/")));
    for (const folder of [
      "src/crypto",
      "src/hooks",
      "src/http",
      "src/kernel",
      "src/page",
      "src/request",
      "src/signin",
      "src/storage",
      "plugins/adapters/store",
      "plugins/flows/email",
      "plugins/flows/oauth",
      "plugins/flows/webauthn",
      "plugins/security/rate-limit",
      "plugins/security/second-factor",
      "plugins/stores",
      "plugins/strategies/_database",
      "plugins/strategies/_jwt",
      "plugins/strategies/database",
      "plugins/strategies/hybrid",
    ])
      expect(folders).toContain(folder);
  });

  it.each([...MUTANTS])(
    "$file contains the text of each of its defects once",
    ({ file, tests, edits }) => {
      const source = read(file);
      for (const mutant of listMutants([{ file, tests, edits }])) {
        expect(applyMutant(source, mutant)).not.toBe(source);
      }
    },
  );

  it("names test files that exist, and each file and defect once", () => {
    expect(MUTANTS.filter(({ edits }) => !edits.length)).toEqual([]);
    const missing = all.flatMap(({ tests }) => tests).filter((test) => !existsSync(root + test));
    expect(missing).toEqual([]);
    const names = all.map(({ file, defect }) => `${file}: ${defect}`);
    expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
    const files = MUTANTS.map(({ file }) => file);
    expect(files.filter((file, at) => files.indexOf(file) < at)).toEqual([]);
  });
});
