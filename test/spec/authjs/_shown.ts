const RANDOM: readonly (readonly [form: RegExp, shown: string])[] = [
  [/[\w-]{20,}\.[\w-]*(?:\.[\w-]{10,}){3}/g, "<jwe>"],
  [/eyJ[\w-]+(?:\.[\w-]{10,}){2}/g, "<jwt>"],
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "<uuid>"],
  [/\b[\da-f]{64}\b/g, "<hex>"],
  [/^[\da-f]{12}$/, "<id>"],
  [/^[\w-]{22}$|^[\w+/]{22}==$/, "<credential>"],
  [/^pQEC[\w+/]{90,}=*$/, "<public key>"],
  [/^(?:[\w-]{43}|[\w-]{86})$/, "<random>"],
];

/** Replaces random parts of a text. An origin and its root are the same URL. */
export function withoutRandom(text: string): string {
  if (/^https?:\/\/[^/?#]+$/.test(text)) return `${text}/`;
  return RANDOM.reduce((shown, [form, name]) => shown.replace(form, name), text);
}

function showObject(value: object, depth: number): unknown {
  if (value instanceof Date) return { date: value.toISOString() };
  if (value instanceof URL) return withoutRandom(value.href);
  if (value instanceof Request) {
    return {
      method: value.method,
      url: withoutRandom(value.url),
      type: value.headers.get("content-type"),
    };
  }
  if (value instanceof Error) return { error: value.name };
  if (depth > 6) return "...";
  if (Array.isArray(value)) return value.map((one) => toShown(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => [key, toShown(one, depth + 1)]),
  );
}

/** Copies a value as plain data without random parts. An `undefined` member counts as absent. */
export function toShown(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return withoutRandom(value);
  if (typeof value === "function") return "<function>";
  if (value === undefined) return "<undefined>";
  if (typeof value !== "object" || value === null) return value;
  return showObject(value, depth);
}

/** Shows the parts of a URL, so that neither the order of its query nor a relative form matters. */
export function showUrl(location: string | null, origin: string): unknown {
  if (location === null) return null;
  const url = new URL(location, origin);
  const to = withoutRandom(url.origin + url.pathname + url.hash);
  if (!url.search) return to;
  return { to, ...(toShown(Object.fromEntries(url.searchParams)) as object) };
}
