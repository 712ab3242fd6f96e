import { PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import type { TapInfo, TapOptions } from "../types/hook.ts";
import { nameTap } from "./name-tap.ts";

const STAGES: ReadonlyMap<string, number> = new Map([
  ["first", -100],
  ["early", -10],
  ["normal", 0],
  ["late", 10],
  ["last", 100],
]);

/** A tap, with the order that its registration asked for. */
export interface Registered {
  readonly info: TapInfo;
  readonly asked: { readonly [K in "stage" | "before" | "after"]: TapOptions[K] | undefined };
}

/** Two taps of which `first` must run before `second`, because `asking` requires it. */
interface Edge<T> {
  first: T;
  second: T;
  asking: T;
}

/** Returns the number of a stage; 0 for a stage that does not exist, which `sortTaps` reports. */
export function toStage(stage: unknown): number {
  return Number.isFinite(stage) ? (stage as number) : (STAGES.get(stage as string) ?? 0);
}

function isStage(stage: unknown): boolean {
  return stage === undefined || Number.isFinite(stage) || STAGES.has(stage as string);
}

function describeTap({ info: { name, plugin } }: Registered): string {
  return `"${name}" (plugin ${plugin})`;
}

function describeStage(stage: number): string {
  const [name = stage] = [...STAGES].find(([, number]) => number === stage) ?? [];
  return `stage ${name}`;
}

function checkTaps(hook: string, taps: readonly Registered[], report: Report): void {
  const names = new Map<string, Registered>();
  for (const tap of taps) {
    const { name } = tap.info;
    if (!isStage(tap.asked.stage)) {
      const stages = [...STAGES.keys()].join(", ");
      report(
        new PluginError(
          `${nameTap(tap.info, hook)} has the stage "${String(tap.asked.stage)}", which does not exist. ` +
            `Use ${stages}, or a number.`,
        ),
      );
    }
    const other = names.get(name);
    if (other) {
      report(
        new PluginError(
          `Two taps of the hook ${hook} are named "${name}" (plugins ${other.info.plugin} and ` +
            `${tap.info.plugin}). Rename one.`,
        ),
      );
    }
    names.set(name, tap);
  }
}

function findEdges<T extends Registered>(
  hook: string,
  taps: readonly T[],
  report: Report,
): Edge<T>[] {
  const edges: Edge<T>[] = [];
  for (const asking of taps) {
    for (const field of ["before", "after"] as const) {
      for (const given of [asking.asked[field] ?? []].flat()) {
        const isOptional = String(given).endsWith("?");
        const target = isOptional ? given.slice(0, -1) : String(given);
        const found = taps.filter(({ info }) => info.name === target);
        for (const other of found) {
          const [first, second] = field === "before" ? [asking, other] : [other, asking];
          edges.push({ first, second, asking });
        }
        if (found.length || isOptional) continue;
        report(
          new PluginError(
            `The tap ${describeTap(asking)} must run ${field} "${target}" in the hook ${hook}, where no tap ` +
              `has that name. Correct the name, or write "${target}?" if the tap may be missing.`,
          ),
        );
      }
    }
  }
  return edges;
}

// A tap never moves to another stage, where it would overtake taps that it does not name.
function withinStages<T extends Registered>(
  hook: string,
  edges: readonly Edge<T>[],
  report: Report,
): Edge<T>[] {
  return edges.filter(({ first, second, asking }) => {
    const [early, late] = [first.info.stage, second.info.stage];
    if (early > late) {
      const [word, other] = asking === first ? ["before", second] : ["after", first];
      report(
        new PluginError(
          `The tap ${describeTap(asking)} of ${describeStage(asking.info.stage)} must run ${word} ` +
            `${describeTap(other)} of ${describeStage(other.info.stage)} in the hook ${hook}. Give ` +
            `"${first.info.name}" an earlier stage, or "${second.info.name}" a later one.`,
        ),
      );
    }
    return early === late;
  });
}

// Every remaining tap must run after another one, so going back from any of them leads into a circle. Returns a tap of
// the circle.
function reportCircle<T extends Registered>(
  hook: string,
  left: ReadonlySet<T>,
  edges: readonly Edge<T>[],
  report: Report,
): T {
  const path: T[] = [];
  let tap = [...left][0] as T;
  while (!path.includes(tap)) {
    path.unshift(tap);
    const isBehind = ({ first, second }: Edge<T>) => second === path[0] && left.has(first);
    tap = (edges.find(isBehind) as Edge<T>).first;
  }
  const circle = [tap, ...path.slice(0, path.indexOf(tap) + 1)];
  report(
    new PluginError(
      `Taps of the hook ${hook} must run before one another in a circle: ` +
        `${circle.map(describeTap).join(" > ")}. Drop one \`before\` or \`after\`.`,
    ),
  );
  return tap;
}

/**
 * Returns the taps of a hook in execution order: by stage and then by registration, as in tapable, with each tap moved
 * behind those taps of its stage that must run before it. Reports orders that cannot hold.
 */
export function sortTaps<T extends Registered>(
  hook: string,
  taps: readonly T[],
  report: Report,
): T[] {
  checkTaps(hook, taps, report);
  const edges = withinStages(hook, findEdges(hook, taps, report), report);
  const left = new Set(taps);
  if (!edges.length) return [...left];
  const sorted: T[] = [];
  while (left.size) {
    const isBlocked = (tap: T) => edges.some((edge) => edge.second === tap && left.has(edge.first));
    const next =
      [...left].find((tap) => !isBlocked(tap)) ?? reportCircle(hook, left, edges, report);
    left.delete(next);
    sorted.push(next);
  }
  return sorted;
}
