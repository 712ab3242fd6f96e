// Puts one defect after another into a copy of the repository and runs the tests that must notice it:
//
//   npm run test:mutants                   # all of them: an hour
//   npm run test:mutants -- oauth cookies  # those whose file or defect contains one of the words
//
// Leaves the working tree alone, and ends with 1 if a defect went unnoticed.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyMutant, listMutants, type Mutant } from "./_mutant.ts";
import { MUTANTS } from "./_table.ts";

/** Milliseconds for the tests of one defect. A defect that makes them hang counts as noticed. */
const TIMEOUT_MS = 300_000;

interface Report {
  numFailedTests: number;
  testResults: { name: string; message: string; assertionResults: { status: string }[] }[];
}

type Result = "noticed" | "SURVIVED" | "BROKEN";

const root = fileURLToPath(new URL("../..", import.meta.url));
const words = process.argv.slice(2);
const chosen = listMutants(MUTANTS).filter(
  ({ file, defect }) => !words.length || words.some((word) => `${file} ${defect}`.includes(word)),
);

const copy = mkdtempSync(join(tmpdir(), "mutants-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root });
for (const file of String(files).split("\0").filter(Boolean))
  cpSync(join(root, file), join(copy, file), { recursive: true });
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

/** Runs test files in the copy, up to the first failure. */
async function runTests(tests: readonly string[]): Promise<Report | "late"> {
  const output = join(copy, "report.json");
  rmSync(output, { force: true });
  const config = ["--config", "test/vitest.config.ts", "--project", "unit"];
  const report = ["--reporter=json", `--outputFile=${output}`];
  const few = ["--bail=1", "--maxWorkers=1"];
  const more = ["--project", "integration"];
  const args = ["node_modules/vitest/vitest.mjs", "run", ...config, ...more, ...report, ...few];
  const child = spawn(process.execPath, [...args, ...tests], {
    cwd: copy,
    stdio: "ignore",
    detached: true,
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
  if (child.signalCode) return "late";
  return JSON.parse(readFileSync(output, "utf8")) as Report;
}

// A file that does not load has not tested the defect.
function judge(report: Report | "late"): Result {
  if (report === "late" || report.numFailedTests > 0) return "noticed";
  return report.testResults.some(({ message }) => message) ? "BROKEN" : "SURVIVED";
}

async function tryMutant(mutant: Mutant): Promise<Result> {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, applyMutant(source, mutant));
  try {
    return judge(await runTests(mutant.tests));
  } finally {
    writeFileSync(path, source);
  }
}

const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
console.log(`${chosen.length} defects; first the ${tests.length} test files without any.`);
if (judge(await runTests(tests)) !== "SURVIVED") {
  console.error("They fail without any defect.");
  process.exit(1);
}

const unnoticed: Mutant[] = [];
const start = Date.now();
for (const [at, mutant] of chosen.entries()) {
  const result = await tryMutant(mutant);
  if (result !== "noticed") unnoticed.push(mutant);
  console.log(`${at + 1}/${chosen.length} ${result} ${mutant.file}: ${mutant.defect}`);
}
const noticed = chosen.length - unnoticed.length;
const score = ((100 * noticed) / chosen.length).toFixed(1);
const minutes = Math.round((Date.now() - start) / 60_000);
console.log(`${noticed} of ${chosen.length} noticed (${score} %) in ${minutes} minutes.`);
for (const { file, defect } of unnoticed) console.log(`${file}: ${defect}`);
process.exit(unnoticed.length ? 1 : 0);
