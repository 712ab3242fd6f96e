import {
  type Browser,
  createBrowser,
  createClock,
  createIdentityProvider,
  type IdentityProvider,
} from "../../../src/testing/testing.ts";
import { type Change, createAuthenticator, SCRIPTS } from "../../flows/_authenticator.ts";
import { type Application, type Book, buildConfig, openOwn } from "./_application.ts";
import type { Kind } from "./_libraries.ts";
import { createRows } from "./_map-adapter.ts";
import { showUrl, toShown } from "./_shown.ts";

type Fields = Record<string, string>;
type Action = "register" | "authenticate";

/** One step of a scenario. A path is below the base path unless it starts with a slash. */
export type Step =
  | readonly ["get", path: string, headers?: Fields]
  | readonly ["send", method: string, path: string, body?: string, headers?: Fields]
  // With the browser's CSRF token, unless the fields contain one. `last` is the token of the last response.
  | readonly ["post", path: string, fields?: Fields, headers?: Fields]
  | readonly ["json", path: string, body: object, headers?: Fields]
  // Responds to the last authorization request.
  | readonly ["consent", user?: Record<string, unknown>]
  | readonly ["refuse", error: string]
  // Delivers the authorization response with a change.
  | readonly ["tampered", change: (url: URL) => void]
  | readonly ["follow"]
  | readonly ["mail", change?: (url: URL) => void]
  | readonly ["wait", seconds: number]
  // Requests the options of a ceremony, and keeps them.
  | readonly ["options", query: Fields]
  // Responds to the last options. For `authenticate`, with the credential of that number, or by default the last one.
  | readonly ["passkey", Action, change?: Change, fields?: Fields, credential?: number]
  // Posts the last response again.
  | readonly ["replay"]
  | readonly ["cookie", name: string, value: string | undefined]
  | readonly ["browser", name: string];

/** The same requests for two libraries. */
export interface Scenario {
  name: string;
  app: Application;
  steps: readonly Step[];
}

/** What a step did, as plain data. */
export type Seen = Record<string, unknown>;

export const NOW = Date.parse("2026-06-01T12:00:00.000Z");
const SECRET = "keyhook-test-secret-0123456789abcdef";
const ADA = {
  sub: "ada",
  id: 42,
  login: "ada",
  name: "Ada Lovelace",
  email: "Ada@Example.com",
  email_verified: true,
  picture: "https://op.example/ada.png",
  avatar_url: "https://github.com/ada.png",
} as Record<string, unknown>;

function createProviders(book: Book): { op: IdentityProvider; github: IdentityProvider } {
  const op = createIdentityProvider({ issuer: "https://op.example", user: ADA as never });
  const base = "https://github.com/login/oauth";
  const github = createIdentityProvider({
    issuer: base,
    user: ADA as never,
    endpoints: {
      token: `${base}/access_token`,
      userinfo: "https://api.github.com/user",
    },
    resources: {
      "https://api.github.com/user/emails": [
        { email: "Ada@Example.com", primary: true, verified: true },
      ],
    },
  });
  // GitHub has no ID tokens.
  github.tamper = { token: ({ id_token: _, ...body }) => body };
  for (const one of [op, github]) {
    const { fetch } = one;
    Object.assign(one, {
      async fetch(input: string | URL | Request, init?: RequestInit) {
        const request = new Request(input, init);
        const path = new URL(request.url).pathname;
        if (!/jwks|well-known/.test(path)) {
          book.calls.push([
            "fetch",
            {
              method: request.method,
              url: request.url,
              authorization: request.headers.get("authorization"),
              accept: request.headers.get("accept"),
              body: toShown(Object.fromEntries(new URLSearchParams(await request.clone().text()))),
            },
          ]);
        }
        return fetch(request);
      },
    });
  }
  return { op, github };
}

async function openValue(library: Kind, name: string, text: string): Promise<unknown> {
  if (/\.\d+$/.test(name) && text !== "") return "<part>";
  if (text.startsWith("own.")) return openOwn(text);
  if (!text.startsWith("eyJ")) return text;
  return library.decode({ token: text, secret: SECRET, salt: name }).catch(() => text);
}

async function showCookie(library: Kind, line: string): Promise<[string, unknown]> {
  const [pair = "", ...rest] = line.split("; ");
  const at = pair.indexOf("=");
  const name = pair.slice(0, at);
  const text = decodeURIComponent(pair.slice(at + 1));
  const attributes = Object.fromEntries(
    rest.map((one) => {
      const [key = "", value = true] = one.split("=");
      return [key.toLowerCase(), value];
    }),
  );
  return [name, { value: toShown(await openValue(library, name, text)), ...attributes }];
}

/** The parts of a page that a script or a test of the application may rely on. */
function showPage(html: string): unknown {
  const forms = [...html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action, inner = ""]) => {
      const names = [...inner.matchAll(/<(?:input|select)[^>]*\bname="([^"]*)"/g)];
      return `${action}: ${names.map(([, name]) => name).join(" ")}`;
    },
  );
  return { forms };
}

/** Shows a redirect in a JSON response in the same form as a redirect by header. */
function showJson(body: unknown, origin: string): unknown {
  const { url } = (body ?? {}) as { url?: unknown };
  return typeof url === "string" ? { url: showUrl(url, origin) } : body;
}

/** What a visitor or a client notices at once: the kind of response, or where it redirects and with which error. */
function describeOutcome(response: Response, type: string, text: string, origin: string): string {
  const json = type === "application/json" && text ? (JSON.parse(text) as unknown) : undefined;
  const { url } = (json ?? {}) as { url?: string };
  const location = url ?? response.headers.get("location");
  const { status } = response;
  if (!location) return `${status} ${json === null ? "null" : type}`;
  const target = new URL(location, origin);
  const error = target.searchParams.get("error");
  return `${status} ${target.origin}${target.pathname}${error ? `?error=${error}` : ""}`;
}

async function showResponse(library: Kind, response: Response, origin: string): Promise<Seen> {
  const text = await response.text();
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  const cookies = await Promise.all(
    response.headers.getSetCookie().map((one) => showCookie(library, one)),
  );
  const body = () => {
    if (type === "application/json" && text) return showJson(JSON.parse(text), origin);
    return type === "text/html" ? showPage(text) : text;
  };
  return {
    outcome: describeOutcome(response, type, text, origin),
    location: showUrl(response.headers.get("location"), origin),
    body: toShown(body()),
    cookies: Object.fromEntries(cookies),
  };
}

/** Groups calls, so that an additional call does not change the paths of the others. */
function showCalls(calls: Book["calls"]): Seen {
  const seen: Seen = {};
  const counts = new Map<string, number>();
  for (const [name, ...args] of calls) {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    seen[`${name}#${count}`] = args.length > 1 ? args : args[0];
  }
  const named = (test: RegExp) =>
    calls
      .map(([name]) => name)
      .filter((name) => test.test(name))
      .join(" ");
  return {
    callbacks: named(/^(?!log|redirect|fetch)\w+$/),
    lookUps: named(/^\.(?:get|list)/),
    writes: named(/^\.(?!get|list)/),
    events: named(/!$/),
    ...seen,
  };
}

/** Runs a scenario. `choose` selects the library that gets the step's requests. */
export async function run(
  { app, steps }: Scenario,
  libraries: { authjs: Kind; keyhook: Kind },
  choose: (step: number) => "authjs" | "keyhook",
): Promise<Seen[]> {
  const book: Book = { rows: createRows(), mails: [], calls: [] };
  const { op, github } = createProviders(book);
  const { origin = "http://localhost:3000" } = app;
  const realFetch = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const { hostname } = new URL(input instanceof Request ? input.url : input);
    return (hostname.endsWith("github.com") ? github : op).fetch(input, init);
  };
  using clock = createClock(NOW);
  const handlers = {
    authjs: libraries.authjs.create(buildConfig(app, libraries.authjs, book)),
    keyhook: libraries.keyhook.create(buildConfig(app, libraries.keyhook, book)),
  };
  let turn: "authjs" | "keyhook" = "authjs";
  const browsers = new Map<string, Browser>();
  const open = (name: string) => {
    const found =
      browsers.get(name) ?? createBrowser((request) => handlers[turn](request), { origin });
    browsers.set(name, found);
    return found;
  };
  const { basePath = "/auth" } = (app.config?.(libraries.keyhook) ?? {}) as { basePath?: string };
  const at = (path: string) => (path.startsWith("/") ? path : `${basePath}/${path}`);
  let browser = open("first");
  let last: Response = new Response();
  let asked = "";
  let token = "";
  const csrf = async () => {
    const before = book.calls.length;
    const response = await browser.get(at("csrf"), { headers: { accept: "application/json" } });
    book.calls.length = before;
    return ((await response.json()) as { csrfToken: string }).csrfToken;
  };
  // A link that did not begin in this browser shows a confirmation page.
  const submit = (page: string) => {
    const action = /<form[^>]*action="([^"]*callback\/mail)"/.exec(page)?.[1];
    const inputs = page.matchAll(/<input[^>]*\bname="(\w+)"[^>]*\bvalue="([^"]*)"/g);
    if (action === undefined) return undefined;
    return browser.post(
      action,
      Object.fromEntries([...inputs].map(([, name, value]) => [name, value])),
    );
  };
  const deliver = async (change: (url: URL) => void = () => {}, user?: object) => {
    const idp = asked.includes("github.com") ? github : op;
    const { url, fields } = await idp.authorize(asked, user as never);
    const target = new URL(url);
    change(target);
    if (!fields) return browser.get(target.href);
    return browser.post(target.href, fields, { headers: { origin: target.origin } });
  };
  const authenticator = createAuthenticator({
    origin,
    counts: app.passkeyCounts ?? false,
    shortIntegers: false,
  });
  let options: unknown;
  let sent: Fields = {};
  const postPasskey = async () =>
    browser.post(
      at("callback/passkey"),
      { ...sent, csrfToken: await csrf() },
      { headers: { accept: "*/*" } },
    );
  const acts: Record<string, (...args: never[]) => Promise<Response | undefined>> = {
    get: (path: string, headers: Fields = {}) =>
      browser.get(at(path), { headers: { accept: "*/*", ...headers } }),
    send: (method: string, path: string, body?: string, headers: Fields = {}) =>
      browser.send(at(path), {
        method,
        csrf: false,
        ...(body !== undefined && { body }),
        headers: { accept: "*/*", ...headers },
      }),
    post: async (path: string, fields: Fields = {}, headers: Fields = {}) =>
      browser.post(
        at(path),
        {
          ...fields,
          csrfToken: fields.csrfToken === "last" ? token : (fields.csrfToken ?? (await csrf())),
        },
        { headers: { accept: "*/*", ...headers } },
      ),
    json: async (path: string, body: object, headers: Fields = {}) =>
      browser.send(at(path), {
        json: { csrfToken: await csrf(), ...body },
        csrf: false,
        headers: { accept: "*/*", ...headers },
      }),
    consent: (user?: object) => deliver(undefined, user && { ...ADA, ...user }),
    async refuse(error: string) {
      op.refuse = error;
      github.refuse = error;
      const response = await deliver();
      op.refuse = undefined;
      github.refuse = undefined;
      return response;
    },
    tampered: (change: (url: URL) => void) => deliver(change),
    follow: async () => browser.get(last.headers.get("location") ?? "/"),
    async mail(change: (url: URL) => void = () => {}) {
      const url = new URL(book.mails.at(-1)?.url ?? "http://none.example");
      change(url);
      const opened = await browser.get(url.href, { headers: { accept: "text/html" } });
      return submit(await opened.clone().text()) ?? opened;
    },
    async options(query: Fields) {
      const response = await browser.get(
        at(`webauthn-options/passkey?${new URLSearchParams(query)}`),
        { headers: { accept: "*/*" } },
      );
      const body = (await response.clone().json()) as { options?: unknown };
      options = body.options ?? options;
      return response;
    },
    async passkey(action: Action, change: Change = {}, fields: Fields = {}, credential = -1) {
      const held = authenticator.held.at(credential);
      const script = SCRIPTS[app.script ?? (turn === "authjs" ? "next-auth" : "keyhook")];
      const userHandle = script.toPosted(held?.userHandle ?? "");
      const data = await (action === "register"
        ? authenticator.create(script.toCreation(options as never), change)
        : authenticator.get(options as never, { userHandle, ...change }, held));
      sent = { action, data: JSON.stringify(data), ...fields };
      return postPasskey();
    },
    replay: postPasskey,
    async wait(seconds: number) {
      clock.advance(seconds * 1000);
      return undefined;
    },
    async cookie(name: string, value: string | undefined) {
      if (value === undefined) browser.cookies.delete(name);
      else browser.cookies.set(name, value);
      return undefined;
    },
    async browser(name: string) {
      browser = open(name);
      return undefined;
    },
  };
  const transcript: Seen[] = [];
  try {
    for (const [index, [act, ...args]] of steps.entries()) {
      turn = choose(index);
      book.calls.length = 0;
      try {
        const response = await acts[act]?.(...(args as never[]));
        if (!response) {
          transcript.push({});
          continue;
        }
        last = response.clone();
        token = /"csrfToken":"(\w+)"/.exec(await response.clone().text())?.[1] ?? token;
        const location = response.headers.get("location") ?? "";
        if (/^https:\/\/(?:op\.example|github\.com)\//.test(location)) asked = location;
        const seen = await showResponse(libraries[turn], response.clone(), origin);
        transcript.push({ ...seen, calls: showCalls(book.calls) });
      } catch (error) {
        transcript.push({ outcome: String(error) });
      }
    }
  } finally {
    globalThis.fetch = realFetch;
  }
  return transcript;
}
