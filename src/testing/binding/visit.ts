import { type Browser, createBrowser } from "../browser.ts";

/** An application behind a binding: in this process, or on a server. */
export interface BindingSite {
  /** For example `http://localhost:3000`. */
  origin: string;
  /** Sends a request to the application. */
  fetch(request: Request): Promise<Response>;
  /** Called after each test. */
  close?(): unknown;
}

/** The parts of a response that are the same in every run. */
export interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  cookies: string[];
  body: string;
}

// Headers that the server or the framework adds.
const CARRIER = /^(?:date|connection|keep-alive|transfer-encoding|content-length|x-powered-by)$/;

const JSON_ACCEPTED = { headers: { accept: "application/json" } };
const RIGHT = { username: "user-0", password: "right" };
const WRONG = { username: "user-0", password: "wrong" };
const BYTES_TOO_MANY = 65_536;

async function toRecorded(response: Response, origin: string): Promise<RecordedResponse> {
  const { host } = new URL(origin);
  const toPlain = (text: string) =>
    text
      .replaceAll(host, "HOST")
      .replaceAll(encodeURIComponent(host), "HOST")
      .replace(/eyJ[\w.-]{100,}/g, "JWE")
      .replace(/[0-9a-f]{64}/g, "HEX")
      .replace(/"id":"[0-9a-f]{12}"/g, '"id":"ID"')
      .replace(/nonce[-=]"?[\w-]{22}/g, "NONCE")
      .replace(/Expires=[^;]+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "DATE");
  const headers = [...response.headers].filter(
    ([name]) => name !== "set-cookie" && !CARRIER.test(name),
  );
  return {
    status: response.status,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, toPlain(value)])),
    cookies: response.headers.getSetCookie().map(toPlain),
    body: toPlain(await response.text()),
  };
}

const toForm = (fields: Record<string, string>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
};

/** What every step knows about the visit. */
interface Visit {
  readonly browser: Browser;
  /** Sends a request without the browser's cookies. */
  send(method: string, path: string): Promise<Response>;
  /** Returns a redirect target and the CSRF token, which changes with each sign-in and sign-out. */
  getBack(): Promise<{ csrfToken: string; callbackUrl: string }>;
}

type Step = (visit: Visit) => Promise<Response>;

const SCRIPT = { ...JSON_ACCEPTED.headers, "content-type": "application/json; charset=utf-8" };

const postJson = ({ browser }: Visit, path: string, json: object, headers: object = {}) =>
  browser.post(path, {}, { headers: { ...SCRIPT, ...headers }, body: JSON.stringify(json) });

/** The steps from the first request until after the sign-out, in order. */
const STEPS: Readonly<Record<string, Step>> = {
  "the session before the sign-in": ({ browser }) => browser.get("/auth/session", JSON_ACCEPTED),
  providers: ({ browser }) => browser.get("/auth/providers", JSON_ACCEPTED),
  "the CSRF token": ({ browser }) => browser.get("/auth/csrf", JSON_ACCEPTED),
  "the sign-in page": ({ browser }) => browser.get("/auth/signin?callbackUrl=%2Finside"),
  "the sign-out page": ({ browser }) => browser.get("/auth/signout"),
  "the error page": ({ browser }) => browser.get("/auth/error?error=AccessDenied"),
  "the verify-request page": ({ browser }) => browser.get("/auth/verify-request"),
  "a sign-in without the CSRF token": ({ browser }) =>
    browser.post("/auth/callback/credentials", RIGHT),
  "a sign-in with the wrong password": async ({ browser, getBack }) =>
    browser.post("/auth/callback/credentials", { ...(await getBack()), ...WRONG }),
  "a sign-in": async ({ browser, getBack }) =>
    browser.post("/auth/callback/credentials", { ...(await getBack()), ...RIGHT }),
  "the session": ({ browser }) => browser.get("/auth/session", JSON_ACCEPTED),
  "an update of the session": async (visit) =>
    postJson(visit, "/auth/session", { ...(await visit.getBack()), data: { name: "Countess" } }),
  "the updated session": ({ browser }) => browser.get("/auth/session", JSON_ACCEPTED),
  "an update without the CSRF token": ({ browser }) =>
    browser.post("/auth/session", { data: "x" }, JSON_ACCEPTED),
  "a sign-out by a script": async ({ browser, getBack }) =>
    browser.post("/auth/signout", await getBack(), {
      headers: { "x-auth-return-redirect": "1" },
    }),
  "the session after the sign-out": ({ browser }) => browser.get("/auth/session", JSON_ACCEPTED),
  "a sign-in by a script": async (visit) =>
    postJson(
      visit,
      "/auth/callback/credentials",
      { ...(await visit.getBack()), ...RIGHT },
      { "x-auth-return-redirect": "1" },
    ),
  "a sign-out with a multipart body": async ({ browser, getBack }) =>
    browser.post("/auth/signout", {}, { body: toForm({ ...(await getBack()), callbackUrl: "/" }) }),
  "the session after the second sign-out": ({ browser }) =>
    browser.get("/auth/session", JSON_ACCEPTED),
  "a sign-in with two passwords": async ({ browser, getBack }) => {
    const body = new URLSearchParams({ ...(await getBack()), ...WRONG });
    body.append("password", RIGHT.password);
    return browser.post("/auth/callback/credentials", {}, { body });
  },
  "an unknown path, requested by a script": ({ browser }) =>
    browser.get("/auth/nothing", JSON_ACCEPTED),
  "an unknown path": ({ browser }) => browser.get("/auth/nothing"),
  "an unknown provider": async ({ browser, getBack }) =>
    browser.post("/auth/signin/unknown", await getBack()),
  ...Object.fromEntries(
    ["HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"].map((method): [string, Step] => [
      `${method} to the session route`,
      ({ send }) => send(method, "/auth/session"),
    ]),
  ),
  "a body that is too large": async ({ browser, getBack }) =>
    browser.post("/auth/callback/credentials", {
      ...(await getBack()),
      ...RIGHT,
      padding: "x".repeat(BYTES_TOO_MANY),
    }),
  "malformed JSON": ({ browser }) =>
    browser.post(
      "/auth/callback/credentials",
      {},
      { headers: { "content-type": "application/json" }, body: "{" },
    ),
  "a request after the refused ones": ({ browser }) =>
    browser.get("/auth/providers", JSON_ACCEPTED),
};

/** Visits a site from the first request until after the sign-out. Returns every response by the name of its step. */
export async function visitSite(site: BindingSite): Promise<Map<string, RecordedResponse>> {
  const { origin } = site;
  const browser = createBrowser((request) => site.fetch(request), { origin });
  const visit: Visit = {
    browser,
    send: (method, path) => site.fetch(new Request(origin + path, { method })),
    getBack: async () => ({ csrfToken: await browser.csrfToken(), callbackUrl: "/inside?x=1" }),
  };
  const recorded = new Map<string, RecordedResponse>();
  for (const [name, step] of Object.entries(STEPS)) {
    recorded.set(name, await toRecorded(await step(visit), origin));
  }
  return recorded;
}
