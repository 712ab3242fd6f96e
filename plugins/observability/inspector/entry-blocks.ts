import type { Block, Item } from "../../../src/kernel.ts";
import type { ErrorReport, LogEntry, Step } from "./log.ts";

export function formatMs(ms: number | undefined): string {
  return ms === undefined ? "not ended" : `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`;
}

function toErrorItems({ causes, ...error }: ErrorReport, what: string): Item[] {
  const { type, message, fix, id, tap, facts } = error;
  const details = [
    message,
    fix !== undefined && `To do: ${fix}`,
    tap !== undefined && `Thrown in the tap ${tap}.`,
    ...Object.entries(facts).map(([name, value]) => `${name}: ${value}`),
  ];
  return [
    {
      title: `${what}: ${type}`,
      text: details.filter(Boolean).join(" · "),
      ...(id !== undefined && { badge: `id ${id}` }),
    },
    ...causes.flatMap((cause) => toErrorItems({ ...cause, causes: [] }, "Caused by")),
  ];
}

function toStepItem(step: Step): Item {
  const at = `+${formatMs(step.at)}`;
  if (step.kind === "event") return { title: `event ${step.name}`, text: at };
  const { kind, name, ms, outcome } = step;
  const taps =
    step.kind === "hook"
      ? step.taps.map((tap) => `${tap.name} (${tap.plugin}) ${formatMs(tap.ms)}`).join(", ")
      : "";
  const parts = [at, `took ${formatMs(ms)}`, taps, outcome && `result: ${outcome}`];
  return { title: `${kind} ${name}`, text: parts.filter(Boolean).join(" · ") };
}

function toLastItems({ target, cookies, omitted }: LogEntry): Item[] {
  const set = cookies.map(({ name, size, cleared }) =>
    cleared ? `${name} (cleared)` : `${name} (${size} characters)`,
  );
  return [
    ...(omitted ? [{ title: `${omitted} more steps are not kept` }] : []),
    ...(set.length ? [{ title: "cookies set", text: set.join(", ") }] : []),
    ...(target === undefined ? [] : [{ title: "redirect", text: target }]),
  ];
}

/** Returns one line that summarizes an entry. */
export function summarize({ number, time, operation, ...entry }: LogEntry): string {
  const { method, path, status, ms, errors } = entry;
  const what = operation === "request" ? `${method} ${path}` : `auth.${operation}()`;
  const failure = errors.map(({ type }) => type).join(", ");
  const end = [status, failure, formatMs(ms)].filter(Boolean).join(", ");
  return `#${number} ${time.slice(11, 19)} UTC ${what}: ${end}`;
}

/** Describes an entry step by step, errors first, because developers look for those. */
export function toEntryBlock(entry: LogEntry): Block {
  const items = [
    ...entry.errors.flatMap((error) => toErrorItems(error, "Error")),
    ...entry.steps.map(toStepItem),
    ...toLastItems(entry),
  ];
  return items.length ? { kind: "list", items } : { kind: "text", text: "Nothing ran." };
}
