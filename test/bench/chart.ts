import type { Row } from "./table.ts";

const WIDTH = 760;
const LABEL = 300;
const LINE = 22;
const TOP = 44;
/** The axis is logarithmic, in powers of ten. */
const [LEAST, MOST] = [-2, 1];

const NAMES = ["ours", "better-auth"] as const;
const COLORS = { ours: "#2563eb", "better-auth": "#a3a3a3" };

const toX = (ratio: number): number => {
  const at = (Math.min(Math.max(Math.log10(ratio), LEAST), MOST) - LEAST) / (MOST - LEAST);
  return Math.round(LABEL + at * (WIDTH - LABEL - 20));
};

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Draws the ratios to @auth/core as an SVG: a bar for Keyhook, a mark for better-auth. Rows of rates are inverted. */
export function drawChart(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ row, outcome }) => {
    if (typeof outcome === "string" || row.against || !outcome.ratios.has("ours")) {
      return [];
    }
    const ratios = NAMES.map((name) => {
      const ratio = outcome.ratios.get(name)?.median;
      return ratio === undefined ? undefined : row.higherIsBetter ? 1 / ratio : ratio;
    });
    return [{ name: row.name, ours: ratios[0] ?? 1, better: ratios[1] }];
  });
  const height = TOP + lines.length * LINE + 16;
  const ticks = [0.01, 0.1, 1, 10].map((ratio) => {
    const x = toX(ratio);
    const color = ratio === 1 ? "#dc2626" : "#d4d4d4";
    return `<line x1="${x}" y1="${TOP - 8}" x2="${x}" y2="${height - 12}" stroke="${color}"/>
<text x="${x}" y="${TOP - 14}" text-anchor="middle">${ratio}</text>`;
  });
  const bars = lines.map(({ name, ours, better }, at) => {
    const y = TOP + at * LINE;
    const [from, to] = [toX(10 ** LEAST), toX(ours)];
    const mark =
      better === undefined
        ? ""
        : `<circle cx="${toX(better)}" cy="${y + 7}" r="4" fill="${COLORS["better-auth"]}"/>`;
    return `<text x="${LABEL - 10}" y="${y + 11}" text-anchor="end">${escape(name)}</text>
<rect x="${from}" y="${y}" width="${Math.max(to - from, 2)}" height="14" rx="2" fill="${COLORS.ours}"/>${mark}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#737373">
<text x="10" y="16">Time and size relative to @auth/core (red line): Keyhook (blue), better-auth (grey). Shorter is better.</text>
${ticks.join("\n")}
${bars.join("\n")}
</svg>
`;
}
