import type { Seen } from "./_run.ts";

/** A place in a scenario where the libraries differ. A side that has nothing there is `undefined`. */
export interface Difference {
  at: string;
  path: string;
  authjs: string | undefined;
  keyhook: string | undefined;
}

type Pair = [path: string, authjs: unknown, keyhook: unknown];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function* diff(path: string, authjs: unknown, keyhook: unknown): Iterable<Pair> {
  if (isObject(authjs) && isObject(keyhook)) {
    for (const key of new Set([...Object.keys(authjs), ...Object.keys(keyhook)])) {
      yield* diff(path ? `${path}.${key}` : key, authjs[key], keyhook[key]);
    }
  } else if (authjs !== keyhook) yield [path, authjs, keyhook];
}

/** Compares two transcripts. */
export function compare(
  name: string,
  labels: readonly string[],
  authjs: readonly Seen[],
  keyhook: readonly Seen[],
): Difference[] {
  return labels.flatMap((label, index) => {
    const [one = {}, other = {}] = [authjs[index], keyhook[index]];
    const found = [...diff("", one, other)];
    // A different outcome is one difference, whatever follows from it.
    const isOther = one.outcome !== other.outcome;
    return found
      .filter(([path]) => !isOther || path === "outcome")
      .map(([path, left, right]) => ({
        at: `${name} > ${index} ${label}`,
        path,
        authjs: JSON.stringify(left),
        keyhook: JSON.stringify(right),
      }));
  });
}
