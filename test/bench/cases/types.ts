import { execFileSync } from "node:child_process";
import type { Case, Side } from "../measure.ts";
import { here, root } from "../setup.ts";

const OPTIONS =
  "--ignoreConfig --noEmit --skipLibCheck --strict --target es2023 --module nodenext --types node";

/** Measures the milliseconds in which the compiler checks an application. */
const typeCheck =
  (app: string): Side =>
  () => {
    const args = [`${root}node_modules/typescript/bin/tsc`, ...OPTIONS.split(" ")];
    return () => {
      const start = performance.now();
      execFileSync(process.execPath, [...args, `apps/${app}.ts`], { cwd: here, stdio: "pipe" });
      return performance.now() - start;
    };
  };

export const cases: Case[] = [
  {
    name: "type-check of a small application",
    unit: "ms",
    target: 1,
    rounds: 5,
    sides: {
      ours: typeCheck("keyhook"),
      "@auth/core": typeCheck("core"),
      "better-auth": typeCheck("better"),
      floor: typeCheck("empty"),
    },
  },
];
