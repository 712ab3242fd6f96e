// A process that serves mixed traffic: `node --expose-gc _traffic.ts <requests>`. It prints what it holds in memory
// before and after.
import { getEventListeners } from "node:events";
import { createAuth, customFetch } from "../../presets/index.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import { type Browser, createBrowser } from "../../src/testing/testing.ts";

/** What the process holds, measured after garbage collection. */
export interface Holding {
  readonly heap: number;
  /** Active timers and requests of the runtime. */
  readonly resources: number;
  /** Listeners on the signal that all requests share. */
  readonly listeners: number;
}

const ORIGIN = "http://localhost:3000";
const IDP = "https://idp.example";
const PEOPLE = 50;

// The seed is fixed, so that each run is the same.
let seed = 7;
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((seed / 2 ** 31) * below);
}

const answers: Record<string, () => object> = {
  "/token": () => ({ access_token: `a${random(1e9)}`, token_type: "bearer", expires_in: 600 }),
  "/userinfo": () => {
    const id = String(random(PEOPLE));
    return { id, name: `Person ${id}`, email: `person-${id}@example.com` };
  },
};
const ask: typeof fetch = async (input) => {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  // Some responses are broken.
  return random(20) === 0
    ? new Response("oops", { status: 500 })
    : Response.json(answers[pathname]?.());
};

const config: AuthConfig = {
  secret: "a secret of the traffic, 32 characters and more",
  trustHost: true,
  env: { NODE_ENV: "test" },
  logger: { error() {}, warn() {} },
  providers: [
    {
      id: "idp",
      name: "Provider",
      type: "oauth",
      authorization: `${IDP}/authorize`,
      token: `${IDP}/token`,
      userinfo: `${IDP}/userinfo`,
      clientId: "id",
      clientSecret: "secret",
      [customFetch]: ask,
    },
    {
      id: "credentials",
      name: "Password",
      type: "credentials",
      credentials: { username: {}, password: {} },
      authorize: ({ username, password }) =>
        password === "right" ? { id: String(username), name: String(username) } : null,
    },
  ],
};

const auth = createAuth(config);
// One signal for all requests: a listener that is not removed stays for the life of the process.
const all = new AbortController();
// The signal is set manually, because a Request that is created with a signal listens to it itself.
const serve = (request: Request) =>
  auth.fetch(Object.defineProperty(request, "signal", { value: all.signal }));

let browser = createBrowser(serve);

async function startOAuth(visitor: Browser): Promise<URL> {
  const csrfToken = await visitor.csrfToken();
  const response = await visitor.post("/auth/signin/idp", { csrfToken });
  return new URL(response.headers.get("location") ?? ORIGIN);
}

async function signInByPassword(password: string): Promise<unknown> {
  const csrfToken = await browser.csrfToken();
  const username = `person-${random(PEOPLE)}`;
  return browser.post("/auth/callback/credentials", { csrfToken, username, password });
}

/** Kinds of requests, in equal parts. */
const KINDS: readonly (() => Promise<unknown>)[] = [
  () => browser.get("/auth/session"),
  () => browser.get("/auth/session"),
  () => browser.get("/auth/providers"),
  () => browser.get(`/auth/signin?callbackUrl=/page-${random(1e9)}&error=AccessDenied`),
  () => browser.get("/auth/signout"),
  () => browser.get(`/auth/error?error=${random(1e9)}`),
  () => browser.get(`/auth/nothing-${random(1e9)}`),
  () => browser.send("/auth/session", { json: { name: `Name ${random(1e9)}` } }),
  () => signInByPassword("right"),
  () => signInByPassword("wrong"),
  () => startOAuth(browser),
  async () => {
    const { searchParams } = await startOAuth(browser);
    const back = new URL(searchParams.get("redirect_uri") ?? ORIGIN);
    back.searchParams.set("code", "code");
    back.searchParams.set("state", searchParams.get("state") ?? "");
    return browser.get(back.pathname + back.search);
  },
  async () => {
    const csrfToken = await browser.csrfToken();
    return browser.post("/auth/signout", { csrfToken });
  },
  // Another visitor arrives, or a visitor with made-up cookies.
  async () => void (browser = createBrowser(serve)),
  () => {
    const part = () =>
      random(2 ** 31)
        .toString(36)
        .repeat(9);
    const cookie = `authjs.session-token=${part()}..${part()}.${part()}.${part()}; authjs.state=${part()}`;
    return serve(new Request(`${ORIGIN}/auth/session`, { headers: { cookie } }));
  },
  // The visitor disconnects before the response.
  () => {
    const left = AbortSignal.abort();
    const body = new URLSearchParams({ csrfToken: "none" });
    return auth
      .fetch(new Request(`${ORIGIN}/auth/signin/idp`, { method: "POST", body, signal: left }))
      .catch(() => undefined);
  },
];

async function work(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await KINDS[random(KINDS.length)]?.();
}

async function look(): Promise<Holding> {
  // Events and timers of the last requests finish.
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (let at = 0; at < 3; at++) (globalThis as { gc?: () => void }).gc?.();
  return {
    heap: process.memoryUsage().heapUsed,
    resources: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
    listeners: getEventListeners(all.signal, "abort").length,
  };
}

const requests = Number(process.argv[2]);
// The caches fill.
await work(Math.max(3000, requests / 2));
const before = await look();
await work(requests);
console.log(JSON.stringify({ before, after: await look() }));
process.exit();
