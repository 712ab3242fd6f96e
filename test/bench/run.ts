import { writeFileSync } from "node:fs";
import { styleText } from "node:util";
import { drawChart } from "./chart.ts";
import { type Case, isOnce, measure, type Outcome } from "./measure.ts";
import { here, install } from "./setup.ts";
import { type Row, toLine, toMarkdown } from "./table.ts";

// npm run bench [-- --write | --once] [part of a case's name ...]; --write writes the table and the chart, --once measures
// nothing: each contender does its work once, so that one that fails is known before a run that takes its time.
// KEYHOOK_BENCH=built does not build the package again, KEYHOOK_BENCH=installed does not install it again either.
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isWritten = process.argv.includes("--write");
if (isWritten && wanted.length > 0) throw new Error("--write needs all rows: they are of one run.");
const { KEYHOOK_BENCH } = process.env;
if (KEYHOOK_BENCH !== "installed") install(KEYHOOK_BENCH === "built");

/** The files of `cases/`, each with the heading of its rows. */
const SECTIONS: Readonly<Record<string, string>> = {
  read: "Reading a session",
  plugins: "Plugins",
  routes: "Routes and pages",
  catalogue: "All providers of the catalogue",
  load: "Beside a provider that hangs",
  signin: "Signing in",
  database: "Stored sessions",
  loopback: "Over a socket",
  start: "Cold start",
  types: "Types",
  size: "Size of a server's bundle",
  page: "Size of a page's script",
};

interface Planned {
  readonly group: string;
  readonly section: string;
  readonly row: Case;
}

const all: Planned[] = [];
for (const [group, section] of Object.entries(SECTIONS)) {
  const { cases } = (await import(`./cases/${group}.ts`)) as { cases: Case[] };
  for (const row of cases)
    if (!wanted.length || wanted.some((part) => row.name.includes(part)))
      all.push({ group, section, row });
}

/** Returns the line of a row whose contenders worked once. */
function toCheck({ name }: Case, outcome: Outcome | string): string {
  return `${name}: ${typeof outcome === "string" ? `skipped: ${outcome}` : "works"}`;
}

/** Writes the name of the current measurement over the last line, on a terminal. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

const start = performance.now();
const countMinutes = () => (performance.now() - start) / 60_000;
const rows: Row[] = [];
const failures: string[] = [];
if (!isOnce) console.log(toLine());
for (const [at, { group, section, row }] of all.entries()) {
  const onRound = (round: number, rounds: number) => {
    const state = round ? `round ${round} of ${rounds}` : "warming up";
    showProgress(
      `${at + 1}/${all.length}, ${countMinutes().toFixed(1)} min: ${row.name}: ${state}`,
    );
  };
  let outcome: Outcome | string;
  try {
    outcome = await measure(group, row, onRound);
  } catch (error) {
    showProgress("");
    // The following rows are measured nevertheless: a run takes too long to be lost.
    failures.push((error as Error).message);
    console.error(styleText("red", (error as Error).message));
    continue;
  }
  showProgress("");
  rows.push({ section, row, outcome });
  const line = isOnce ? toCheck(row, outcome) : toLine({ section, row, outcome });
  const isGood = isOnce || (typeof outcome !== "string" && outcome.isMet);
  console.log(isGood ? line : styleText("yellow", line));
}
const unmet = rows.filter(({ outcome }) => typeof outcome !== "string" && !outcome.isMet);
if (!isOnce) console.log(`${unmet.length} targets not met, ${countMinutes().toFixed(1)} minutes`);
if (failures.length) console.error(`${failures.length} rows failed:\n${failures.join("\n")}`);
else if (isWritten) {
  writeFileSync(`${here}README.md`, toMarkdown(rows, countMinutes()));
  writeFileSync(`${here}chart.svg`, drawChart(rows));
}
process.exit(failures.length ? 1 : 0);
