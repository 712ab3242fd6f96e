import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { AuthError } from "../../src/errors.ts";
import type { Auth } from "../../src/kernel.ts";
import { type TestAuth, type Log, ORIGIN } from "../_app.ts";
import { rounds } from "../_scale.ts";

/** The attacker's host. No response may ever lead to it. */
export const EVIL = "evil.example";

/** Returns the text without lone surrogates, which UTF-8 does not encode. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

const asText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** The number of runs of a property. */
export const runs = (count: number): { numRuns: number } => ({
  numRuns: rounds(count),
});

const rejected: unknown[] = [];
const escape = (error: unknown) => void rejected.push(error);

/**
 * Fails the tests of a file on unhandled rejections and uncaught exceptions, late ones included.
 */
export function watchRejections(): void {
  beforeAll(() => {
    process.on("unhandledRejection", escape);
    process.on("uncaughtException", escape);
  });
  afterEach(() => {
    expect(rejected.splice(0).map((one) => (one as Error)?.stack ?? one)).toEqual([]);
  });
  afterAll(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", escape);
    process.off("uncaughtException", escape);
    expect(rejected.splice(0)).toEqual([]);
  });
}

export interface AskOptions {
  /** Origin of every redirect, link and form. Defaults to the application's. */
  origin?: string;
  /** Whether the correct password was sent, so that a session may start. */
  mayEnter?: boolean;
}

const CORS = /^(access-control-|timing-allow-origin|cross-origin-resource-policy)/;

/** Lists where a page can lead to: its links, its forms, and their callback URLs. */
export function listTargets(html: string): string[] {
  const found = [
    ...html.matchAll(/(?:href|action|src|formaction)="([^"]*)"/g),
    ...html.matchAll(/name="callbackUrl" value="([^"]*)"/g),
  ];
  return found.map(([, value = ""]) =>
    value
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&#96;", "`")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );
}

/** Returns whether a response sets a session, which is any part of its cookie with a value. */
export function givesSession(response: Response): boolean {
  return response.headers
    .getSetCookie()
    .some((cookie) => /^(__Secure-)?authjs\.session-token(\.\d+)?=[^;]/.test(cookie));
}

/** Checks the invariants that hold for the response to any request. Returns the text of the response. */
export async function expectSafe(
  response: Response,
  { origin = ORIGIN, mayEnter = false }: AskOptions = {},
): Promise<string> {
  const { status, headers } = response;
  const text = await response.clone().text();
  const type = headers.get("content-type") ?? "";
  expect(status, text.slice(0, 300)).toBeLessThan(500);

  const targets: string[] = [];
  const location = headers.get("location");
  if (location !== null) targets.push(location);
  if (type.includes("json") && text.startsWith('{"url":')) {
    targets.push((JSON.parse(text) as { url: string }).url);
  }
  if (type.includes("html")) targets.push(...listTargets(text));
  for (const cookie of headers.getSetCookie()) {
    const value = /^(?:__Secure-)?authjs\.callback-url=([^;]+)/.exec(cookie)?.[1];
    if (value) targets.push(decodeURIComponent(value));
  }
  for (const target of targets) {
    // Compared as text, because a browser may parse a URL differently than `URL` does.
    expect(target === origin || target.startsWith(`${origin}/`), `leads to ${target}`).toBe(true);
    expect(new URL(target).origin).toBe(origin);
    // oxlint-disable-next-line no-control-regex -- that is the attack
    expect(target).not.toMatch(/[\u0000-\u0020\u007f-\uffff\\]/);
  }

  expect(mayEnter || !givesSession(response), "sets a session").toBe(true);
  for (const [name] of headers) expect(name).not.toMatch(CORS);
  const isPersonal =
    headers.getSetCookie().length > 0 ||
    type.includes("html") ||
    status >= 300 ||
    /"user"/.test(text);
  if (isPersonal) expect(headers.get("cache-control")).toMatch(/private.*no-store/);
  if (type.includes("html")) {
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    // The pages draw their own icons as SVG in their markup. The value of a field is text.
    expect(text).not.toMatch(
      /<script|<svg(?! class="icon" viewBox)|<img src=x|(?<! value)="\s*javascript:|\son\w+=/i,
    );
  }
  return text;
}

/** Error types that may reject malformed input. TypeError and unexpected errors are not among them. */
const REFUSALS = new Set([
  "AccessDenied",
  "BadRequest",
  "CredentialsSignin",
  "InvalidCheck",
  "InvalidProvider",
  "MissingCSRF",
  "OAuthCallbackError",
  "SignOutError",
  "UntrustedHost",
]);

export function expectOnlyRefusals(log: Log): void {
  const unexpected = log.errors
    .splice(0)
    .filter((error) => !REFUSALS.has((error as AuthError).type));
  expect(unexpected.map((error) => error.stack ?? String(error))).toEqual([]);
}

/** Sends a request and checks the invariants of its response, in less than a second. */
export async function ask(
  { auth, log }: { auth: Pick<Auth, "fetch">; log?: Log },
  request: Request,
  options: AskOptions = {},
): Promise<Response> {
  const start = performance.now();
  const response = await auth.fetch(request);
  expect(performance.now() - start).toBeLessThan(1000);
  await expectSafe(response, options);
  if (log) expectOnlyRefusals(log);
  return response;
}

/** Fetches a CSRF token and its cookie, as a visitor with these cookies. Default: no cookies. */
export async function stranger({ auth }: Pick<TestAuth, "auth">, origin = ORIGIN, sent?: string) {
  const headers: Record<string, string> = sent === undefined ? {} : { cookie: sent };
  const response = await auth.fetch(new Request(`${origin}/auth/csrf`, { headers }));
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { csrfToken, cookie };
}

export type Fields = Record<string, unknown>;

/** Builds the init of a POST of fields, in each encoding that Keyhook reads. */
export const encodings: Record<string, (fields: Fields) => RequestInit> = {
  form: (fields) => ({
    body: new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, asText(value)])),
  }),
  json: (fields) => ({
    body: JSON.stringify(fields),
    headers: { "content-type": "application/json" },
  }),
  multipart: (fields) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, asText(value));
    return { body };
  },
};

/** Builds a POST as Keyhook's own page would send it. */
export function post(
  url: string,
  { cookie, ...fields }: Fields & { cookie?: string },
  encoding = "form",
  headers: Record<string, string> = {},
): Request {
  const init = encodings[encoding]?.(fields) ?? {};
  return new Request(url, {
    method: "POST",
    ...init,
    headers: {
      accept: "text/html",
      origin: new URL(url).origin,
      ...(cookie !== undefined && { cookie }),
      ...(init.headers as Record<string, string> | undefined),
      ...headers,
    },
  });
}
