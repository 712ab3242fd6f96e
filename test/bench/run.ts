import { writeFileSync } from "node:fs";
import { styleText } from "node:util";
import { drawChart } from "./chart.ts";
import { type Case, measure, type Outcome } from "./measure.ts";
import { here, install } from "./setup.ts";
import { type Row, toLine, toMarkdown } from "./table.ts";

// npm run bench [-- --large] [--write] [part of a case's name ...]; --large adds cases that take minutes, --write
// writes the table and the chart. KEYHOOK_BENCH=installed does not build and install the package again.
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isWritten = process.argv.includes("--write");
if (process.env.KEYHOOK_BENCH !== "installed") install();

const GROUPS = [
  "read",
  "plugins",
  "routes",
  "catalogue",
  "load",
  "signin",
  "database",
  "processes",
  "loopback",
  "size",
  "page",
];

const all: [group: string, row: Case][] = [];
for (const group of GROUPS) {
  const { cases } = (await import(`./cases/${group}.ts`)) as { cases: Case[] };
  for (const row of cases)
    if (!wanted.length || wanted.some((part) => row.name.includes(part))) all.push([group, row]);
}

/** Writes what is being measured over the last line, where someone looks. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

const rows: Row[] = [];
console.log(toLine());
for (const [at, [group, row]] of all.entries()) {
  const outcome: Outcome | string = await measure(group, row, (round, rounds) =>
    showProgress(`${at + 1}/${all.length} ${row.name}: round ${round} of ${rounds}`),
  );
  showProgress("");
  rows.push({ row, outcome });
  const line = toLine({ row, outcome });
  const isGood = typeof outcome !== "string" && outcome.isMet;
  console.log(isGood ? line : styleText("yellow", line));
}
const unmet = rows.filter(({ outcome }) => typeof outcome !== "string" && !outcome.isMet);
console.log(`${unmet.length} targets not met`);
if (isWritten) {
  writeFileSync(`${here}README.md`, toMarkdown(rows));
  writeFileSync(`${here}chart.svg`, drawChart(rows));
}
process.exit();
