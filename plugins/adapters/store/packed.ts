/** An object as JSON can carry it; `dates` are the members that are dates, at the top level. */
export interface Packed {
  readonly data: Readonly<Record<string, unknown>>;
  readonly dates?: readonly string[];
}

/** Packs an object; what is `undefined` is left out. */
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

/** The object that was packed. Only what was a date becomes one: a name may look like a date. */
export function unpack<T>({ data, dates = [] }: Packed): T {
  const revived = dates.map((name) => [name, new Date(data[name] as string)]);
  return { ...data, ...Object.fromEntries(revived) } as T;
}

/** One object laid over another, both packed; `undefined` members change nothing. */
export function lay(under: Packed, over: object): Packed {
  const given = Object.entries(over).filter(([, member]) => member !== undefined);
  return pack({ ...unpack<object>(under), ...Object.fromEntries(given) });
}
