import type { Outcome, Spread } from "./measure.ts";
import type { Row } from "./table.ts";

const WIDTH = 860;
const LABEL = 358;
/** Space for the numbers at the right. */
const NUMBERS = 60;
const LINE = 20;
const HEADING = 30;
const TOP = 52;
/** The axis is logarithmic: the length of a line is a factor, and 1 is @auth/core. */
const [LEAST, MOST] = [Math.log10(0.01), Math.log10(10)];
const TICKS: Readonly<Record<number, string>> = { 0.01: "100x", 0.1: "10x", 1: "1", 10: "10x" };

const COLORS = { ours: "#2563eb", other: "#9ca3af", core: "#dc2626", grid: "#9ca3af55" };

function toX(ratio: number): number {
  const at = (Math.min(Math.max(Math.log10(ratio), LEAST), MOST) - LEAST) / (MOST - LEAST);
  return Math.round(LABEL + at * (WIDTH - LABEL - NUMBERS));
}

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const invert = ({ median, low, high }: Spread): Spread => ({
  median: 1 / median,
  low: 1 / high,
  high: 1 / low,
});

/**
 * Returns the ratios to @auth/core, also for a row that is compared with another library. For
 * rates, the ratio is of times.
 */
function findRatios({ row, outcome }: Row): Outcome["ratios"] | undefined {
  if (typeof outcome === "string" || row.unit === "times") return undefined;
  const core = outcome.ratios.get("@auth/core")?.median;
  if (core === undefined) return undefined;
  return new Map(
    [...outcome.ratios].map(([name, { median, low, high }]) => {
      const spread = { median: median / core, low: low / core, high: high / core };
      return [name, row.higherIsBetter ? invert(spread) : spread];
    }),
  );
}

const toLabel = ({ name, against }: Row["row"]): string =>
  against === undefined ? name : name.replace(`, of ${against}`, "");

function drawRow(row: Row, ratios: Outcome["ratios"], y: number): string {
  const ours = ratios.get("ours") ?? { median: 1, low: 1, high: 1 };
  const [one, x, low, high] = [1, ours.median, ours.low, ours.high].map(toX);
  const better = ratios.get("better-auth");
  const floor = ratios.get("floor");
  const number = ours.median < 0.1 ? ours.median.toFixed(3) : ours.median.toPrecision(2);
  return [
    `<text x="${LABEL - 14}" y="${y + 4}" text-anchor="end">${escape(toLabel(row.row))}</text>`,
    `<line x1="${one}" y1="${y}" x2="${x}" y2="${y}" stroke="${COLORS.ours}" stroke-width="3" opacity="0.4"/>`,
    floor &&
      `<line x1="${toX(floor.median)}" y1="${y - 6}" x2="${toX(floor.median)}" y2="${y + 6}" stroke="${COLORS.other}" stroke-width="2"/>`,
    better &&
      `<circle cx="${toX(better.median)}" cy="${y}" r="4.5" fill="none" stroke="${COLORS.other}" stroke-width="2"/>`,
    `<line x1="${low}" y1="${y}" x2="${high}" y2="${y}" stroke="${COLORS.ours}" stroke-width="7" stroke-linecap="round"/>`,
    `<circle cx="${x}" cy="${y}" r="5" fill="${COLORS.ours}"/>`,
    `<text x="${WIDTH - 8}" y="${y + 4}" text-anchor="end">${number}</text>`,
  ]
    .filter(Boolean)
    .join("\n");
}

function drawLegend(): string {
  const y = 14;
  const text = (x: number, label: string) => `<text x="${x}" y="${y + 4}">${label}</text>`;
  return [
    `<circle cx="14" cy="${y}" r="5" fill="${COLORS.ours}"/>`,
    text(24, "Keyhook, with quartiles"),
    `<circle cx="190" cy="${y}" r="4.5" fill="none" stroke="${COLORS.other}" stroke-width="2"/>`,
    text(200, "better-auth"),
    `<line x1="288" y1="${y - 6}" x2="288" y2="${y + 6}" stroke="${COLORS.other}" stroke-width="2"/>`,
    text(296, "floor: fixed responses"),
    `<line x1="444" y1="${y - 6}" x2="444" y2="${y + 6}" stroke="${COLORS.core}" stroke-width="2"/>`,
    text(452, "@auth/core = 1. Further left takes less time, or is smaller."),
  ].join("\n");
}

/**
 * Draws the ratios to @auth/core as an SVG, by section. A line to the left of 1 means less
 * time, or a smaller size. Rates are inverted.
 */
export function drawChart(rows: readonly Row[]): string {
  let y = TOP;
  let section: string | undefined;
  const drawn: string[] = [];
  for (const row of rows) {
    const ratios = findRatios(row);
    if (!ratios) continue;
    if (row.section !== section) {
      section = row.section;
      y += HEADING - LINE;
      drawn.push(
        `<text x="${LABEL - 14}" y="${y + 4}" text-anchor="end" font-weight="600">${escape(section)}</text>`,
      );
      y += LINE;
    }
    drawn.push(drawRow(row, ratios, y));
    y += LINE;
  }
  const ticks = Object.entries(TICKS).map(([ratio, label]) => {
    const x = toX(Number(ratio));
    const color = Number(ratio) === 1 ? COLORS.core : COLORS.grid;
    const side = Number(ratio) === 1 ? "" : Number(ratio) < 1 ? " less" : " more";
    return `<line x1="${x}" y1="${TOP - 4}" x2="${x}" y2="${y}" stroke="${color}"/>
<text x="${x}" y="${TOP - 10}" text-anchor="middle">${label}${side}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 8}" viewBox="0 0 ${WIDTH} ${y + 8}" font-family="system-ui, sans-serif" font-size="12" fill="#737373">
<title>Keyhook and better-auth relative to @auth/core</title>
${drawLegend()}
${ticks.join("\n")}
${drawn.join("\n")}
</svg>
`;
}
