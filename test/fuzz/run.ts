// Feeds changed valid inputs and noise to all code that parses foreign input, for as long as you like:
//
//   npm run fuzz                                     # 30 seconds for each target
//   npm run fuzz -- --seconds 600 --only passkey     # ten minutes for the targets with this word
//   npm run fuzz -- --seed 42                        # the inputs of an earlier run
//   npm run fuzz -- --keep                           # adds its findings to test/fuzz/corpus
//
// Prints the seed and, for a finding, the smallest input.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    seed: { type: "string" },
    only: { type: "string" },
    keep: { type: "boolean" },
  },
});
const { seconds, seed, only, keep } = values;
const config = ["--config", "test/vitest.config.ts", "--project", "unit"];
// A parser that keeps its input ends with an error, before it exhausts the machine's memory.
const bounds = ["--maxWorkers=1", "--execArgv=--max-old-space-size=512"];
const args = ["node_modules/vitest/vitest.mjs", "run", ...config, ...bounds, "test/fuzz"];
const child = spawn(process.execPath, args, {
  cwd: fileURLToPath(new URL("../..", import.meta.url)),
  stdio: "inherit",
  env: {
    ...process.env,
    KEYHOOK_FUZZ_SECONDS: seconds,
    ...(seed !== undefined && { KEYHOOK_FUZZ_SEED: seed }),
    ...(only !== undefined && { KEYHOOK_FUZZ_ONLY: only }),
    ...(keep && { KEYHOOK_FUZZ_KEEP: "1" }),
  },
});
child.once("exit", (code) => process.exit(code ?? 1));
