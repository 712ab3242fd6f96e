import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Auth, AuthError } from "../../src/index.ts";
import { type House, type Log, ORIGIN } from "../_setup.ts";

/** The host that nobody may ever be led to. */
export const EVIL = "evil.example";

/** The text without lone surrogates, which no UTF-8 can carry. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

const asText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** Runs of a property: `RUNS=50` tries fifty times as many. */
export const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env.RUNS ?? 1),
});

const rejected: unknown[] = [];
const escape = (error: unknown) => void rejected.push(error);

/** In every file of this folder: nothing may escape, not even later. */
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
  /** Origin of every redirect, link and form. Default that of the house. */
  origin?: string;
  /** The right password was sent: a session may follow. */
  mayEnter?: boolean;
}

const CORS = /^(access-control-|timing-allow-origin|cross-origin-resource-policy)/;

/** Places a page can lead to: links, forms, and where they say to go afterwards. */
export function targetsOf(html: string): string[] {
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

/** Whether a response gives somebody a session: any part of its cookie with something in it. */
export function givesSession(response: Response): boolean {
  return response.headers
    .getSetCookie()
    .some((cookie) => /^(__Secure-)?authjs\.session-token(\.\d+)?=[^;]/.test(cookie));
}

/** What must hold for every answer to anything. Answers the response's text. */
export async function expectSafe(
  response: Response,
  { origin = ORIGIN, mayEnter = false }: AskOptions = {},
): Promise<string> {
  const { status, headers } = response;
  const text = await response.clone().text();
  const type = headers.get("content-type") ?? "";
  expect(status, text.slice(0, 300)).toBeLessThan(500);

  const leads: string[] = [];
  const location = headers.get("location");
  if (location !== null) leads.push(location);
  if (type.includes("json") && text.startsWith('{"url":')) {
    leads.push((JSON.parse(text) as { url: string }).url);
  }
  if (type.includes("html")) leads.push(...targetsOf(text));
  for (const cookie of headers.getSetCookie()) {
    const value = /^(?:__Secure-)?authjs\.callback-url=([^;]+)/.exec(cookie)?.[1];
    if (value) leads.push(decodeURIComponent(value));
  }
  for (const lead of leads) {
    // As text: a browser may read a URL otherwise than `URL` does.
    expect(lead === origin || lead.startsWith(`${origin}/`), `leads to ${lead}`).toBe(true);
    expect(new URL(lead).origin).toBe(origin);
    // oxlint-disable-next-line no-control-regex -- that is the attack
    expect(lead).not.toMatch(/[\u0000-\u0020\u007f-\uffff\\]/);
  }

  expect(mayEnter || !givesSession(response), "a session").toBe(true);
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
    expect(text).not.toMatch(/<script|<svg(?! class="sign")|<img src=x|="\s*javascript:|\son\w+=/i);
  }
  return text;
}

/** Names under which nonsense may be refused. A TypeError of ours, or anything unforeseen, is none. */
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
  const faults = log.errors.splice(0).filter((error) => !REFUSALS.has((error as AuthError).type));
  expect(faults.map((error) => error.stack ?? String(error))).toEqual([]);
}

/** Asks, and holds the answer to everything above, in less than a second. */
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

/** A visitor with a CSRF token and the cookies that belong to it. */
export async function stranger({ auth }: Pick<House, "auth">, origin = ORIGIN) {
  const response = await auth.fetch(new Request(`${origin}/auth/csrf`));
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { csrfToken, cookie };
}

export type Fields = Record<string, unknown>;

/** A POST of fields, in each of the forms that we read. */
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

/** A POST as our own page would send it. */
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
