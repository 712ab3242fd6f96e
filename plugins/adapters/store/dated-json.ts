import { isObject } from "../../../src/_kit.ts";

/** An object as JSON. `dates` names the top-level members that are dates, stored as ISO text. */
export interface Packed {
  readonly data: Readonly<Record<string, unknown>>;
  readonly dates?: readonly string[];
}

/** Returns whether an unknown value is a packed object with valid dates. */
export function isPacked(value: unknown): value is Packed {
  if (!isObject(value) || !isObject(value.data)) return false;
  const { data, dates = [] } = value as { data: Packed["data"]; dates?: unknown };
  return (
    Array.isArray(dates) &&
    dates.every((name) => typeof name === "string" && !Number.isNaN(Date.parse(String(data[name]))))
  );
}

/** Packs an object. Members that are `undefined` are omitted. */
export function pack(value: object): Packed {
  const data: [string, unknown][] = [];
  const dates: string[] = [];
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined) continue;
    if (member instanceof Date) dates.push(name);
    data.push([name, member instanceof Date ? member.toISOString() : member]);
  }
  return { data: Object.fromEntries(data), ...(dates.length && { dates }) };
}

/** Unpacks an object. Only members named in `dates` become dates, because a user's name may look like one. */
export function unpack<T>({ data, dates = [] }: Packed): T {
  const value: Record<string, unknown> = { ...data };
  for (const name of dates) value[name] = new Date(data[name] as string);
  return value as T;
}

/** Merges the members of `over` into a packed object. `undefined` members change nothing. */
export function mergePacked(under: Packed, over: object): Packed {
  const given = Object.entries(over).filter(([, member]) => member !== undefined);
  return pack({ ...unpack<object>(under), ...Object.fromEntries(given) });
}
