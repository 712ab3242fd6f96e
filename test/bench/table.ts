import { LIMITS } from "./limits.ts";
import type { Case, Outcome, Spread } from "./measure.ts";

/** A measured case, or the reason why it was skipped. */
export interface Row {
  /** The heading of the rows that the case belongs to. */
  section: string;
  row: Case;
  outcome: Outcome | string;
}

const COLUMNS = [
  "work",
  "ours",
  "of core (quartiles)",
  "floor",
  "better-auth",
  "others",
  "target",
  "met",
];
const WIDTHS = [46, 14, 24, 8, 13, 60, 12, 4];
const NAMED = ["ours", "floor", "better-auth"];

function short(number: number | undefined): string {
  if (number === undefined) return "-";
  if (number >= 1000) return String(Math.round(number));
  return number < 0.1 ? number.toFixed(3) : number.toPrecision(3);
}

function withQuartiles(spread: Spread | undefined): string {
  if (!spread) return "-";
  return `${short(spread.median)} (${short(spread.low)}-${short(spread.high)})`;
}

function toCells({ row, outcome }: Row): string[] {
  if (typeof outcome === "string") return [row.name, `skipped: ${outcome}`];
  const { ours, ratios, isMet } = outcome;
  const { against } = row;
  const others = [...ratios].filter(
    ([name]) => name !== against && (against || name !== "@auth/core") && !NAMED.includes(name),
  );
  return [
    row.name,
    `${short(ours)} ${row.unit}`,
    withQuartiles(ratios.get("ours")),
    short(ratios.get("floor")?.median),
    short(ratios.get("better-auth")?.median),
    others.map(([name, { median }]) => `${name} ${short(median)}`).join(", "),
    `${row.target}${row.absolute ? ` ${row.unit}` : ""}`,
    isMet ? "yes" : "no",
  ];
}

/** Returns a line of the table for the terminal or, without a row, its head. */
export function toLine(row?: Row): string {
  const cells = row ? toCells(row) : COLUMNS;
  return cells
    .map((cell, at) => cell.padEnd(WIDTHS[at] ?? 0))
    .join(" ")
    .trimEnd();
}

function toTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => toCells(row)).map((cells) => `| ${cells.join(" | ")} |`);
  return [
    `| ${COLUMNS.join(" | ")} |`,
    `| ${COLUMNS.map(() => "---").join(" | ")} |`,
    ...lines,
  ].join("\n");
}

function toSection([heading, rows]: [string, readonly Row[]]): string {
  const isMet = rows.every(({ outcome }) => typeof outcome === "string" || outcome.isMet);
  const limit = isMet ? undefined : LIMITS[heading];
  return `## ${heading}\n\n${toTable(rows)}\n${limit ? `\n${limit}\n` : ""}`;
}

/** Returns the page with the tables of a run that took some minutes. */
export function toMarkdown(rows: readonly Row[], minutes: number): string {
  const sections = [...Map.groupBy(rows, ({ section }) => section)].map(toSection);
  return `# Benchmarks

\`npm run bench\` packs Keyhook, installs it beside its peers and measures every row, in ${Math.ceil(minutes)} minutes on this machine.
\`npm run bench -- --write\` also writes this page and the chart. Each contender runs in its own process, and the processes take turns. A
task is warmed up with 10,000 runs, for at least one second and at most six. By then the engine has compiled most of a sign-in.

- **ours** is Keyhook's median.
- **of core** is the ratio to @auth/core, computed round by round: the median and the quartiles. In a row "of" another contender, the
  ratios are to that one.
- **floor** is the ratio for the same requests to a handler that returns fixed, standard responses: the time of the platform and of
  the benchmark itself.
- **better-auth** and **others** are the medians of their ratios.
- **target** is a ratio, or with a unit a value for Keyhook. If a target of a table is not met, the text below the table explains why.

Compare only numbers of one run. \`npm run bench:nuxt\` compares a Nuxt page that reads the session with the same page built with other
modules.

![Keyhook and better-auth relative to @auth/core](chart.svg)

${sections.join("\n")}`;
}
