import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { getEntryPoint, sources } from "../build.config.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Lists the exports of every entry point, types included. A new export is a decision: update the
 * snapshot.
 */
it("every entry point exports exactly the names in the snapshot", { timeout: 60_000 }, () => {
  const entryPoints = sources
    .map((file) => [getEntryPoint(file)?.replace(".", "keyhook"), root + file] as const)
    .filter(([path]) => path !== undefined)
    .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1));
  const { options } = ts.parseJsonConfigFileContent({ extends: "./tsconfig.json" }, ts.sys, root);
  const given = { ...options, noLib: true, types: [] };
  const host = ts.createCompilerHost(given);
  // Exports of dependencies do not matter to this test.
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) =>
      text.startsWith(".")
        ? ts.resolveModuleName(text, from, given, host)
        : { resolvedModule: undefined },
    );
  const program = ts.createProgram(
    entryPoints.map(([, file]) => file),
    given,
    host,
  );
  const checker = program.getTypeChecker();
  const shown = entryPoints.map(([path, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const names = module ? checker.getExportsOfModule(module).map(getExportName) : [];
    return `${path}\n${names
      .sort()
      .map((name) => `  ${name}\n`)
      .join("")}`;
  });
  expect(shown.join("\n")).toMatchSnapshot();

  function getExportName(symbol: ts.Symbol): string {
    const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return real.flags & ts.SymbolFlags.Value ? symbol.name : `type ${symbol.name}`;
  }
});

it("the snapshot has every file of the entry points in `package.json`, providers and languages included", () => {
  const text = readFileSync(`${root}test/__snapshots__/exports.test.ts.snap`, "utf8");
  const listed = [...text.matchAll(/^(?:")?(keyhook\S*)$/gm)].map(([, path]) => path);
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  const expected = Object.entries<unknown>(exports).flatMap(([path, target]) => {
    if (target === null || path === "./package.json") return [];
    const name = path.replace(".", "keyhook");
    if (!path.includes("*")) return [name];
    return globSync(`plugins/${path.slice(2)}.ts`, { cwd: root })
      .map((file) => file.replace("plugins/", "keyhook/").replace(/\.ts$/, ""))
      .filter((file) => !file.includes("/_"));
  });
  expect(new Set(listed)).toEqual(new Set(expected));
  expect(listed).toHaveLength(expected.length);
});

// An application that moves only changes the name of the package.
it.each([
  ["keyhook/express", "Auth.js's for Express", "ExpressAuth getSession"],
  ["keyhook/next", "next-auth", "default"],
  ["keyhook/sveltekit", "Auth.js's for SvelteKit", "SvelteKitAuth"],
])("%s exports what %s exports", (path, _, own) => {
  const text = readFileSync(`${root}test/__snapshots__/exports.test.ts.snap`, "utf8");
  const names = new RegExp(`^${path}\n((?:  .+\n)+)`, "m")
    .exec(text)?.[1]
    ?.trim()
    .split(/\s*\n\s*/);
  const types = ["Account", "DefaultSession", "Profile", "Session", "User"];
  const expected = [...own.split(" "), "AuthError", "CredentialsSignin", "customFetch"];
  expect(names).toEqual(
    expect.arrayContaining([...expected, ...types.map((one) => `type ${one}`)]),
  );
});
