import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { IS_QUICK } from "./_scale.ts";
import { createSummary } from "./_summary.ts";

if (Number.parseInt(process.versions.node, 10) < 22) {
  console.error(
    `Keyhook's tests need Node 22 or newer, this is ${process.versions.node}: run them through npm (\`npm test\`), which uses the project's own Node.`,
  );
  process.exit(1);
}

// Hundreds of processes load the same sources: their compiled code is kept from the first.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL("../node_modules/.cache/keyhook-tests", import.meta.url),
);

// Each of these needs something a plain checkout lacks: a browser, a build, a packed tarball, frameworks.
const apart = {
  browser: "test/e2e/**/*.test.ts",
  edge: "test/edge/**/*.test.ts",
  frameworks: "test/frameworks/**/*.test.ts",
  package: "test/package/**/*.test.ts",
};

// Real servers and several processes, or time that has to pass: more than a minute.
const integration = [
  "test/stores/**/*.test.ts",
  "test/adapters/**/*.test.ts",
  "test/flows/oauth-faults.test.ts",
  "test/faults/{storage,mail}.test.ts",
  "test/oauth/{access-tokens-races,access-tokens-kills,provider-faults}.test.ts",
  "test/security/rate-limit-stores.test.ts",
];

// Slow even with few rounds. Each race and kill has a sibling in the quick run that differs in its storage or its kill.
const late = IS_QUICK
  ? [
      "test/adapters/flow-races-fs.test.ts",
      "test/adapters/flow-races-postgres.test.ts",
      "test/adapters/flow-races-redis.test.ts",
      "test/adapters/kills/fs.test.ts",
      "test/adapters/kills/partial-states.test.ts",
      "test/adapters/kills/redis.test.ts",
      "test/adapters/kills/sigkill.test.ts",
      "test/adapters/kills/sqlite.test.ts",
      "test/adapters/slow-database.test.ts",
      "test/cli/doctor.test.ts",
      "test/cli/inspect.test.ts",
      "test/cli/jiti.test.ts",
      "test/oauth/access-tokens-kills.test.ts",
      "test/oauth/access-tokens-races.test.ts",
      "test/stores/redis-cluster.test.ts",
      "test/types/providers.test.ts",
      "test/types/scale.test.ts",
    ]
  : [];

const chromium =
  process.env.CHROMIUM ||
  spawnSync(
    "sh",
    ["-c", "command -v chromium-headless-shell || command -v chromium || command -v google-chrome"],
    {
      encoding: "utf8",
    },
  ).stdout?.trim();

// On CI the tests run without it, and fail.
const leaveOut = !chromium && !process.env.CI;

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    dangerouslyIgnoreUnhandledErrors: false,
    passWithNoTests: leaveOut,
    setupFiles: ["test/_after-each.ts"],
    // Races, and properties over many cases, take their time on a machine that is busy with others.
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // The tests compute more than they wait: with one worker more they take longer.
    maxWorkers: availableParallelism(),
    ...(!process.env.CI && {
      reporters: ["default", createSummary({ late, hasChromium: !leaveOut })],
    }),
    coverage: {
      provider: "v8",
      include: ["src/**", "plugins/**", "presets/**"],
      reporter: ["text-summary", "json-summary"],
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // Most of the time would go into loading the same modules for each file.
          isolate: false,
          include: ["test/**/*.test.ts"],
          // Their imports of Next.js and SvelteKit are mocked.
          server: { deps: { inline: [/\/(?:next-auth|@auth\/sveltekit)\//] } },
          exclude: ["**/node_modules/**", ...integration, ...late, ...Object.values(apart)],
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          isolate: false,
          include: integration,
          exclude: ["**/node_modules/**", ...late],
        },
      },
      {
        extends: true,
        test: {
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["test/**/*.test-d.ts"],
            tsconfig: "./test/types/tsconfig.json",
          },
        },
      },
      {
        extends: true,
        test: {
          name: "noeval",
          isolate: false,
          include: ["test/kernel/**/*.test.ts"],
          setupFiles: ["test/_noeval.ts"],
          execArgv: ["--disallow-code-generation-from-strings"],
        },
      },
      ...Object.entries(apart).map(([name, include]) => ({
        extends: true as const,
        test: {
          name,
          include: name === "browser" && leaveOut ? [] : [include],
          env: chromium ? { CHROMIUM: chromium } : {},
          testTimeout: 120_000,
          hookTimeout: 240_000,
        },
      })),
    ],
  },
});
