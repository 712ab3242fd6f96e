import { readdirSync } from "node:fs";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { IS_QUICK, SCALE } from "./_scale.ts";
import { isListening } from "./stores/_is-listening.ts";
import { SERVERS } from "./stores/_servers-at.ts";

const NAMES = { redis: "Redis", postgres: "PostgreSQL", mysql: "MariaDB or MySQL" };
const VARIABLES = { redis: "REDIS_PORT", postgres: "PGPORT", mysql: "MYSQL_PORT" };

/** The projects that have their own commands, and what they need. */
const APART = {
  noeval: "the kernel without code made from strings",
  edge: "the edge's runtime; builds first",
  package: "the packed package; builds first",
  frameworks: "applications of Nitro and Nuxt; installs them first",
  published: "published adapters and clients of others; installs them first",
};

export interface SummaryOptions {
  /** Files that only the full run includes. */
  late: readonly string[];
  hasChromium: boolean;
}

const isTest = (name: string) => name.endsWith(".test.ts");
const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;

function skippedIn(modules: readonly TestModule[]): { tests: number; files: number } {
  const skipped = modules.map((module) => [...module.children.allTests("skipped")].length);
  return {
    tests: skipped.reduce((sum, one) => sum + one, 0),
    files: skipped.filter(Boolean).length,
  };
}

/** Reports after a run what it left out, why, and how to run it. */
export function createSummary({ late, hasChromium }: SummaryOptions): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit(context) {
      vitest = context;
    },
    async onTestRunEnd(modules) {
      const run = new Set(vitest?.projects.map(({ name }) => name));
      const lines: [what: string, how: string][] = [];
      if (IS_QUICK) {
        lines.push([
          `most rounds of races, kills and properties (1 of ${Math.round(1 / SCALE)} ran, or the fewest that say something)`,
          "npm run test:all",
        ]);
        lines.push([
          "two of three cases of long tables, such as of what each provider refuses",
          "npm run test:all",
        ]);
        lines.push([
          `${count(late.length, "file")}, too slow for a quick run: ${late.join(", ")}`,
          "npm run test:all",
        ]);
        lines.push([
          "waiting for time limits of five seconds and more, and the type check of the READMEs' examples",
          "npm run test:all",
        ]);
        if (run.has("integration")) {
          lines.push([
            "second ways to a server, some drivers of unstorage, and our adapter on files and MongoDB",
            "npm run test:all",
          ]);
        }
      }
      const browser = readdirSync(new URL("e2e/", import.meta.url)).filter(isTest).length;
      if (!hasChromium) {
        lines.push([
          `${count(browser, "file")} in a browser (test/e2e): no Chromium found, nor CHROMIUM set`,
          "npm run test:browser",
        ]);
      } else if (!run.has("browser")) {
        lines.push([`${count(browser, "file")} in a browser (test/e2e)`, "npm run test:browser"]);
      }
      for (const [name, what] of Object.entries(APART)) {
        if (!run.has(name)) lines.push([what, `npm run test:${name}`]);
      }
      if (run.has("integration")) {
        for (const server of ["redis", "postgres", "mysql"] as const) {
          const place = SERVERS[server];
          if (await isListening(place)) continue;
          lines.push([
            `what needs ${NAMES[server]}: no server at ${place.host}:${place.port}`,
            `start one (or set ${VARIABLES[server]}), npm run test:integration`,
          ]);
        }
      }
      const { tests, files } = skippedIn(modules);
      console.log("\nLeft out of this run:");
      for (const [what, how] of lines) console.log(`  - ${what}\n      ${how}`);
      if (tests) console.log(`  ${count(tests, "test")} in ${count(files, "file")} skipped.`);
      console.log();
    },
  };
}
