import { LIMITS } from "./limits.ts";
import type { Case, Outcome, Spread } from "./measure.ts";

/** A measured case, or the reason why it was skipped. */
export interface Row {
  /** The heading of the rows that it belongs to. */
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

/** Returns a line of the table for the terminal; without a row, its head. */
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

\`npm run bench\` packs Keyhook, installs it beside its peers and measures every row, in ${Math.ceil(minutes)} minutes here; \`npm run bench -- --write\`
writes this page and the chart. Each contender has a process of its own, and the processes take turns. A work is
warmed up by 10,000 runs, for one second at least and six at most: by then the engine has compiled most of a sign-in.

- **ours** is Keyhook's own number, a median.
- **of core** is its ratio to @auth/core, computed round by round: the median and the quartiles. A row "of" another contender has its
  ratios to that one.
- **floor** is the ratio of the same requests to a handler that returns fixed, standard responses: the time of the platform and of
  the bench itself.
- **better-auth** and **others** are the medians of their ratios.
- **target** is a ratio, or with a unit a number of ours. Below a table whose targets are not all met stands what is in the way.

Only numbers of one run can be compared. \`npm run bench:nuxt\` compares a Nuxt page that reads the session with the same page of other
modules.

![Keyhook and better-auth relative to @auth/core](chart.svg)

${sections.join("\n")}`;
}
