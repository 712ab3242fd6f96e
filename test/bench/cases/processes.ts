import { execFileSync } from "node:child_process";
import type { Case, Round, Sides } from "../measure.ts";
import { here, root } from "../setup.ts";

const NAMES = { ours: "keyhook", "@auth/core": "core", "better-auth": "better", "bare h3": "h3" };

function spent(args: string[]): number {
  const start = performance.now();
  execFileSync(process.execPath, args, { cwd: here, stdio: "pipe" });
  return performance.now() - start;
}

/** Measures the milliseconds to the first response, minus those of a process that does nothing. */
const firstAnswer = (app: string): Round => {
  const time = (name: string) => spent(["first.ts", name]);
  return () => time(app) - time("empty");
};

const typeCheck = (app: string): Round => {
  const options =
    "--ignoreConfig --noEmit --skipLibCheck --strict --target es2023 --module nodenext";
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  return () => spent([tsc, ...options.split(" "), "--types", "node", `apps/${app}.ts`]);
};

const each = (make: (app: string) => Round, names: Record<string, string> = NAMES) =>
  Object.fromEntries(Object.entries(names).map(([side, app]) => [side, () => make(app)])) as Sides;

export const cases: Case[] = [
  {
    name: "cold start, first answer over bare node",
    unit: "ms",
    target: 0.4,
    rounds: 11,
    sides: each(firstAnswer),
  },
  {
    name: "type-check of a small application",
    unit: "ms",
    target: 1,
    rounds: 5,
    sides: each(typeCheck, {
      ours: "keyhook",
      "@auth/core": "core",
      "better-auth": "better",
      empty: "empty",
    }),
  },
];
