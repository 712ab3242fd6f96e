import type { Case, Outcome, Spread } from "./measure.ts";

/** A measured case, or the reason why it was skipped. */
export interface Row {
  row: Case;
  outcome: Outcome | string;
}

const COLUMNS = ["work", "ours", "of core (quartiles)", "better-auth", "others", "target", "met"];
const WIDTHS = [46, 14, 24, 13, 60, 12, 4];
const NAMED = ["ours", "better-auth"];

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

/** Returns the page with the table. */
export function toMarkdown(rows: readonly Row[]): string {
  const lines = rows.map((row) => `| ${toCells(row).join(" | ")} |`);
  return `# Benchmarks

\`npm run bench\` packs Keyhook, installs it beside its peers and measures every row; \`npm run bench -- --write\` writes this
page and the chart. Each contender has a process of its own; the processes take turns. Ratios are to @auth/core and are
computed round by round: their medians, with the quartiles of Keyhook's own. A row "of" another contender has its ratios
to that one. Only numbers of one run can be compared. \`npm run bench:nuxt\` compares a Nuxt page that reads the session with the same
page of other modules.

![Time of Keyhook relative to @auth/core](chart.svg)

| ${COLUMNS.join(" | ")} |
| ${COLUMNS.map(() => "---").join(" | ")} |
${lines.join("\n")}
`;
}
