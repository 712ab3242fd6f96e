import { styleText } from "node:util";
import { type Case, measure } from "./measure.ts";
import { install } from "./setup.ts";

// npm run bench [-- --large] [part of a case's name ...]; --large adds cases that take minutes.
// KEYHOOK_BENCH=installed does not build and install the package again.
const wanted = process.argv.slice(2).filter((word) => word !== "--large");
if (process.env.KEYHOOK_BENCH !== "installed") install();

const groups: { cases: Case[] }[] = [
  await import("./cases/read.ts"),
  await import("./cases/plugins.ts"),
  await import("./cases/routes.ts"),
  await import("./cases/signin.ts"),
  await import("./cases/database.ts"),
  await import("./cases/processes.ts"),
  await import("./cases/size.ts"),
  await import("./cases/page.ts"),
];

const WIDTHS = [46, 14, 9, 13, 46, 12, 4];
const line = (cells: readonly string[]) =>
  cells.map((cell, at) => cell.padEnd(WIDTHS[at] ?? 0)).join(" ");
const short = (number: number | undefined) =>
  number === undefined ? "-" : number < 0.1 ? number.toFixed(3) : number.toPrecision(3);

console.log(line(["work", "ours", "of core", "better-auth", "others", "target", "met"]));
let unmet = 0;
for (const one of groups.flatMap(({ cases }) => cases)) {
  if (wanted.length && !wanted.some((part) => one.name.includes(part))) continue;
  const outcome = await measure(one);
  if (typeof outcome === "string") {
    console.log(styleText("yellow", line([one.name, `skipped: ${outcome}`])));
    continue;
  }
  const { ours, ratios, isMet } = outcome;
  const others = [...ratios].filter(
    ([name]) => !["ours", "@auth/core", "better-auth"].includes(name),
  );
  const row = line([
    one.name,
    `${short(ours)} ${one.unit}`,
    short(ratios.get("ours")),
    short(ratios.get("better-auth")),
    others.map(([name, ratio]) => `${name} ${short(ratio)}`).join(", "),
    `${one.target}${one.absolute ? ` ${one.unit}` : ""}`,
    isMet ? "yes" : "NO",
  ]);
  console.log(isMet ? row : styleText("yellow", row));
  if (!isMet) unmet++;
}
console.log(`${unmet} targets not met`);
