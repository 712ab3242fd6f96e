import type { AuthContext, Kernel } from "../../../src/kernel.ts";

/** The text that replaces a masked value. */
export const MASK = "***";

/** Masks anything in a text that could be secret or personal. */
export type Masker = (text: string) => string;

const MAX_OUTPUT = 1000;
const MAX_READ = 8000;
// Maximum length of an address, of a user in a URL, and of text that is too short to count as random.
const MAX_PATTERN = 254;
const MAX_KNOWN = 1000;
const MAX_SEGMENTS = 50;
const MIN_KNOWN = 3;
const MIN_SECRET = 6;
const MIN_RANDOM = 20;
const MAX_SEGMENT = 32;
const MAX_PARAMETERS = 20;

/** Names of fields whose values are secret. */
export const SECRET_NAME: RegExp =
  /secret|token|password|code|verifier|cookie|authorization|credential|private|key/i;

/** Names of options and of environment variables with secrets. */
const KEPT_SECRET = /(?:secret|token|pass|password|key)(?:_\d+)?$/i;

const URL_USER = /\/\/[^/\s@]{1,200}@/g;
const QUERY_VALUE = /([?&#][\w.~%-]{1,60}=)[^&#\s"'`]+/g;
const EMAIL = /([^\s@/<>"'`(),:;])[^\s@/<>"'`(),:;]{0,63}(?:@|%40)[^\s@<>"'`(),:;]+/gi;
const IPV4 = /\b(?!127\.)(\d{1,3})(?:\.\d{1,3}){3}\b/g;
const IPV6 =
  /(?<![\w:])(?!::1(?![\w:]))(?=[0-9a-f:]*::|(?:[0-9a-f]{1,4}:){7})[0-9a-f:]{3,39}(?![\w:])/gi;
const LONG_RUN = /[\w+/=~.-]{20,}/g;

// Random text mixes letters and digits. Words, paths and names of options do not.
function isRandom(run: string): boolean {
  return run
    .split(/[/.]/)
    .some((part) => part.length >= 8 && /\d/.test(part) && /[a-z]/i.test(part));
}

/** Masks addresses, random texts, and the values of queries. */
export function maskPatterns(text: string): string {
  return text
    .replace(URL_USER, `//${MASK}@`)
    .replace(QUERY_VALUE, `$1${MASK}`)
    .replace(EMAIL, `$1${MASK}@${MASK}`)
    .replace(IPV4, `$1.${MASK}`)
    .replace(IPV6, MASK)
    .replace(LONG_RUN, (run) => (isRandom(run) ? MASK : run));
}

function listTexts(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null || depth > 3) return [];
  return Object.values(value).flatMap((one) => listTexts(one, depth + 1));
}

// The texts of `error` and `error_description` explain a failure and are not secret (RFC 6749 section 4.1.2.1).
function listQueryValues({ searchParams }: URL): string[] {
  return [...searchParams].flatMap(([name, value]) =>
    name === "error" || name === "error_description" ? [] : [value],
  );
}

// Resolves to the posted fields if they were read. Does not wait for an unread body.
async function getPostedFields(ctx: AuthContext): Promise<unknown> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, 0, undefined));
  try {
    return await Promise.race([ctx.body(), late]);
  } catch {
    return undefined;
  }
}

function listSecrets(record: object, depth = 0): string[] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === "string") return KEPT_SECRET.test(name) ? [value] : [];
    const isRecord = typeof value === "object" && value !== null && depth < 3;
    return isRecord ? listSecrets(value, depth + 1) : [];
  });
}

function listConfiguredSecrets({ config, providers, env }: Kernel): string[] {
  const all = [
    ...config.secret,
    ...listSecrets(env),
    ...[...providers.values()].flatMap((one) => listSecrets(one)),
  ];
  return all.filter((text) => text.length >= MIN_SECRET);
}

// A message may quote a value as a part of a URL or of JSON.
function listSpellings(text: string): string[] {
  const quoted = JSON.stringify(text).slice(1, -1);
  try {
    return [text, quoted, encodeURIComponent(text)];
  } catch {
    // A lone surrogate cannot be in a URL.
    return [text, quoted];
  }
}

/**
 * Creates the masker of a request. It knows the secrets of the configuration, and every value that the browser sent,
 * however short. Addresses, random texts and values of queries are recognized by their form.
 */
export async function createMasker(ctx: AuthContext): Promise<Masker> {
  const { cookies, kernel, origin, params, url } = ctx;
  const { provider: _, ...given } = params;
  const sent = [
    ...listQueryValues(url),
    ...cookies.names().flatMap((name) => cookies.getAll(name)),
    ...listTexts(await getPostedFields(ctx)),
    ...listTexts(given),
  ];
  // The application's own addresses and the ids of providers are not secret, and messages need them.
  const isShown = (text: string) =>
    kernel.providers.has(text) || (text.startsWith(origin) && !text.includes("?"));
  const values = [...listConfiguredSecrets(kernel), ...sent.filter((text) => !isShown(text))]
    .filter((text) => text.length >= MIN_KNOWN)
    .flatMap(listSpellings);
  const known = [...new Set(values)].sort((one, other) => other.length - one.length);
  // Each value is searched for in each text. A request with that many values is an attack.
  if (known.length > MAX_KNOWN) return () => MASK;
  // The cut may leave the beginning of a value.
  const margin = Math.max(MAX_PATTERN, known[0]?.length ?? 0);
  return (text) => {
    let masked = text.slice(0, MAX_READ);
    for (const one of known) masked = masked.replaceAll(one, MASK);
    masked = maskPatterns(masked);
    if (text.length > MAX_READ) masked = masked.slice(0, -margin) || MASK;
    return masked.slice(0, MAX_OUTPUT);
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function maskSegment(given: string): string {
  const segment = decodeSegment(given);
  if (segment.length > MAX_SEGMENT) return MASK;
  return segment.length >= MIN_RANDOM && isRandom(segment) ? MASK : maskPatterns(segment);
}

/** Returns origin and path of a URL, decoded. Segments that could be tokens are masked. */
export function maskUrl(url: URL): string {
  const path = url.pathname.split("/", MAX_SEGMENTS).map(maskSegment).join("/");
  return url.origin === "null" ? url.protocol : url.origin + path;
}

/** Returns the path of a request with the names of its parameters, and only the names in its query. */
export function maskPath({ url, params }: Pick<AuthContext, "url" | "params">): string {
  const named = Object.entries(params).filter(([name]) => name !== "provider");
  const segments = url.pathname.split("/", MAX_SEGMENTS).map((segment) => {
    const decoded = decodeSegment(segment);
    const [name] = named.find(([, value]) => value === decoded) ?? [];
    return name === undefined ? maskSegment(segment) : `:${name}`;
  });
  const query = [...url.searchParams]
    .slice(0, MAX_PARAMETERS)
    // A parameter without a value may itself be the secret.
    .map(([name, value]) => (value === "" ? MASK : `${maskSegment(name)}=${MASK}`));
  return segments.join("/") + (query.length ? `?${query.join("&")}` : "");
}
