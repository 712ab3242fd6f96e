/** A row of a table: its cells by column. */
export type Row = Readonly<Record<string, string>>;

/** Renders rows as aligned columns below their names. */
function renderTable(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ""))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `  ${line}`)
    .join("\n");
}

/** Renders a heading and its rows; returns an empty text without rows. */
export function renderSection(heading: string, rows: readonly Row[]): string {
  return rows.length ? `${heading}\n${renderTable(rows)}\n` : "";
}

/** Returns a text of several lines as one line. */
export function toLine(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");
}
