import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { exportsOf, fileOf, sources } from "../build.config.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What every door shows, types included: growth is a decision, taken by updating the snapshot. */
it("exports these names", { timeout: 60_000 }, () => {
  const doors = Object.entries(exportsOf(sources))
    .map(([path, target]) => [path, fileOf(target)] as const)
    .filter(([, target]) => target?.startsWith("./dist/") && !target.includes("*"))
    .map(([path, target]) => [
      path.replace(".", "keyhook"),
      root + target?.replace("./dist/", "").replace(/\.js$/, ".ts"),
    ]);
  const { options } = ts.parseJsonConfigFileContent({ extends: "./tsconfig.json" }, ts.sys, root);
  const program = ts.createProgram(
    doors.map(([, file]) => file!),
    { ...options, noLib: true, types: [] },
  );
  const checker = program.getTypeChecker();
  const shown = doors.map(([path, file]) => {
    const source = program.getSourceFile(file!);
    const module = source && checker.getSymbolAtLocation(source);
    const names = module ? checker.getExportsOfModule(module).map(nameOf) : [];
    return `${path}\n${names
      .sort()
      .map((name) => `  ${name}\n`)
      .join("")}`;
  });
  expect(shown.join("\n")).toMatchSnapshot();

  function nameOf(symbol: ts.Symbol): string {
    const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return real.flags & ts.SymbolFlags.Value ? symbol.name : `type ${symbol.name}`;
  }
});
