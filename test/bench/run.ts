import { writeFileSync } from "node:fs";
import { styleText } from "node:util";
import { drawChart } from "./chart.ts";
import { type Case, measure, type Outcome } from "./measure.ts";
import { here, install } from "./setup.ts";
import { type Row, toLine, toMarkdown } from "./table.ts";

// npm run bench [-- --write] [part of a case's name ...]; --write writes the table and the chart.
// KEYHOOK_BENCH=installed does not build and install the package again.
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isWritten = process.argv.includes("--write");
if (isWritten && wanted.length > 0) throw new Error("--write needs all rows: they are of one run.");
if (process.env.KEYHOOK_BENCH !== "installed") install();

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

/** Writes what is being measured over the last line, where someone looks. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

const start = performance.now();
const countMinutes = () => (performance.now() - start) / 60_000;
const rows: Row[] = [];
console.log(toLine());
for (const [at, { group, section, row }] of all.entries()) {
  const outcome: Outcome | string = await measure(group, row, (round, rounds) => {
    const state = round ? `round ${round} of ${rounds}` : "warming up";
    showProgress(
      `${at + 1}/${all.length}, ${countMinutes().toFixed(1)} min: ${row.name}: ${state}`,
    );
  });
  showProgress("");
  rows.push({ section, row, outcome });
  const line = toLine({ section, row, outcome });
  const isGood = typeof outcome !== "string" && outcome.isMet;
  console.log(isGood ? line : styleText("yellow", line));
}
const unmet = rows.filter(({ outcome }) => typeof outcome !== "string" && !outcome.isMet);
console.log(`${unmet.length} targets not met, ${countMinutes().toFixed(1)} minutes`);
if (isWritten) {
  writeFileSync(`${here}README.md`, toMarkdown(rows, countMinutes()));
  writeFileSync(`${here}chart.svg`, drawChart(rows));
}
process.exit();
