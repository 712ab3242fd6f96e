import { cpSync, globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Converts an Auth.js application to Keyhook, with its packages.
 * @param changes The changes that the guide describes, in this order.
 */
export function migrate(
  from: string,
  to: string,
  changes: readonly (readonly [from: string, to: string])[],
): void {
  const source = folder(from);
  const target = folder(to);
  rmSync(target, { recursive: true, force: true });
  const isSource = (path: string) =>
    !/node_modules|\.next\b|\.svelte-kit|\bbuild\b/.test(path.slice(source.length));
  cpSync(source, target, { recursive: true, filter: isSource });
  symlinkSync(`${source}/node_modules`, `${target}/node_modules`);
  for (const file of globSync("**/*.{ts,tsx,svelte}", { cwd: `${target}` })) {
    if (file.startsWith("node_modules")) continue;
    const text = readFileSync(`${target}/${file}`, "utf8");
    const changed = changes.reduce((now, [old, other]) => now.replaceAll(old, other), text);
    writeFileSync(`${target}/${file}`, changed);
  }
}
