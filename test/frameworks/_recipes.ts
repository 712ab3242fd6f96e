import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const room = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

const RECIPE = /^<!-- recipe: ([\w./$-]+) -->\n+```[a-z]+\n([^]*?)^```$/gm;

/**
 * Writes the recipes of the bindings' READMEs, unchanged, below a subfolder. Each is marked with its file name: `<!--
 * recipe: recipes/hono/app.js -->`.
 */
export function writeRecipes(folder: string): string[] {
  const files = globSync("plugins/bindings/**/README.md", { cwd: root }).flatMap((readme) => [
    ...readFileSync(root + readme, "utf8").matchAll(RECIPE),
  ]);
  const own = files.filter(([, file = ""]) => file.startsWith(`${folder}/`));
  if (own.length === 0) throw new Error(`No README has a recipe for ${folder}.`);
  return own.map(([, file = "", code = ""]) => {
    mkdirSync(dirname(room + file), { recursive: true });
    writeFileSync(room + file, code);
    return file;
  });
}
