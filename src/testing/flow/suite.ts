import type { Awaitable } from "../../types/models.ts";
import type { Browser } from "../browser.ts";
import { type Clock, createClock } from "../clock.ts";
import type { TestRunner } from "../runner.ts";
import type { TestAuth } from "../test-auth.ts";
import { findLeaks, listSecrets } from "./leaks.ts";
import { createFlowProbe, type FlowFacts, type FlowProbe, PROBE_PATH } from "./probe.ts";

/** Three users, each with an account at the provider. */
export type FlowUser = "ada" | "eve" | "bob";

/** A property that a flow may lack, depending on what its users prove. */
export type FlowTrait =
  /**
   * The callback is valid once, for a limited time, and in the browser that began. Leave it out if the same values are
   * posted each time, such as a password.
   */
  | "attempt"
  /**
   * The callback is valid for one attempt only. Leave it out if the other side receives no identifier of the attempt,
   * such as a service that signs parameters without a `state`. Another site can then sign visitors in as a user of its
   * choice.
   */
  | "state";

/** The argument of `begin`. */
export interface FlowStart<App extends TestAuth = TestAuth> {
  /** The return value of `make`. */
  readonly app: App;
  /** The browser of the sign-in. */
  readonly browser: Browser;
  /** The user who signs in. */
  readonly user: FlowUser;
  /** The id of the provider. */
  readonly provider: string;
  /**
   * The fields that the client posts besides those of the flow: `callbackUrl`, `link`. Send them with the request that
   * replaces `POST /signin/:provider`, or with the callback if a sign-in begins with that.
   */
  readonly fields: Record<string, string>;
}

/** The request that completes a sign-in, as the browser would send it. */
export interface FlowCallback {
  /** Default: the provider's callback. */
  url?: string;
  /** The posted form, without the CSRF token. Without fields, the request is a GET. */
  fields?: Record<string, string>;
  /** The site that posts the form, if it is another site. */
  site?: string;
  /** The `providerAccountId` of the user, if known. */
  account?: string;
}

/** Options of `testFlow`. */
export interface FlowSuiteOptions<App extends TestAuth = TestAuth> {
  /**
   * Begins a sign-in of a user, and performs everything that the user and the other side do before the request that
   * completes it. Returns that request without sending it.
   */
  begin(start: FlowStart<App>): Awaitable<FlowCallback>;
  /** The id of the provider. Default: the first one. */
  provider?: string;
  /** Number of seconds within which a sign-in can be completed. Default 900, as with `defineFlow`. */
  maxAge?: number;
  /** Traits that the flow does not have. Their tests are left out. */
  without?: readonly FlowTrait[];
  /** Timeout of a test in milliseconds. Default 30000. */
  timeout?: number;
}

/** A callback, with its URL. */
export type SentCallback = FlowCallback & { readonly url: string };

/** The application of a test. */
export interface FlowApp {
  readonly auth: TestAuth["auth"];
  readonly provider: string;
  readonly origin: string;
  readonly basePath: string;
  readonly browser: Browser;
  readonly probe: FlowProbe;
  readonly facts: FlowFacts;
  /** Whether users are stored. */
  readonly isStored: boolean;
  openBrowser(): Browser;
  /** Creates another application. */
  openAnother(): FlowApp;
  /** Opens a browser with the cookies of another one. */
  copy(browser: Browser): Browser;
  /** Returns the names of the cookies that the flow has set in a browser. */
  listOwnCookies(browser: Browser): string[];
  /** Moves the session of a browser into another one. */
  moveSession(from: Browser, to: Browser): void;
  /** Begins as Ada in the first browser, unless others are given. */
  begin(browser?: Browser, user?: FlowUser, fields?: Record<string, string>): Promise<SentCallback>;
  /** Sends a callback as browsers do: what another site posts arrives without the session. */
  send(browser: Browser, callback: SentCallback): Promise<Response>;
  /** Runs a whole sign-in. */
  signIn(
    browser?: Browser,
    user?: FlowUser,
    fields?: Record<string, string>,
  ): Promise<SentCallback & { readonly response: Response }>;
  /** Resolves to the id of the session's user; `null` without a session. */
  readUser(browser?: Browser): Promise<string | null>;
  /** Returns the names of the events since the last call, and clears them. */
  takeEvents(): string[];
  /**
   * Asserts that the response to a request of a visitor, or the other side, is not a failure of the flow, and that no
   * secret leaks.
   */
  expectHandled(response: Response): void;
  /** Asserts that a response signs no one in and explains why, by a public error or on a page; and no secret leaks. */
  expectRefused(response: Response): void;
  /** Asserts that neither the log nor a response contains values of an attempt's callback or cookies. */
  expectNoLeak(): void;
}

/** The helpers that the parts of the suite share. */
export interface FlowSuite extends Pick<TestRunner, "describe" | "expect"> {
  readonly maxAge: number;
  /** Registers a test, which is left out if the flow lacks a trait in `needs`. `isTwice` adds a second provider. */
  test(
    name: string,
    body: (app: FlowApp, clock: Clock) => Promise<void>,
    needs?: readonly FlowTrait[],
    isTwice?: boolean,
  ): void;
}

const KERNEL_COOKIES = ["sessionToken", "callbackUrl", "csrfToken", "browser", "pendingLogin"];

const withoutPrefix = (name: string): string => name.replace(/^__(?:Host|Secure)-/, "");

// Tests for a language error that a flow did not expect. Errors that a flow wraps on purpose have a meaningful message.
function isCrash({ cause }: Error): boolean {
  const { err } = (cause ?? {}) as { err?: unknown };
  return err instanceof Error && /^(?:Type|Range|Reference|Syntax|URI)Error$/.test(err.name);
}

// Returns `explained` if the visitor learns of the refusal; otherwise a description of what is wrong with it.
function describeRefusal({ headers }: Response, { errors }: FlowFacts): string {
  const location = headers.get("location");
  const error = /[?&]error=([^&#]*)/.exec(location ?? "")?.[1];
  if (error === "Configuration") return "a fault of the server (?error=Configuration)";
  if (error !== undefined)
    return errors.includes(error) ? "explained" : `no public error: ${error}`;
  // A page may ask before the sign-in continues.
  return location === null ? "explained" : `a redirect to ${location}`;
}

function openApp<App extends TestAuth>(
  make: () => App,
  expect: TestRunner["expect"],
  options: FlowSuiteOptions<App>,
  isTwice: boolean,
): FlowApp {
  const made = make();
  const { auth, log, browser: first } = made;
  const probe = createFlowProbe(options.provider, isTwice);
  auth.use(probe.plugin);
  const { basePath, cookies, providers, adapter } = auth.inspect();
  const { provider = providers[0]?.id ?? "" } = options;
  const { origin } = new URL(first.request("/").url);
  const secrets = new Set<string>();
  const facts = probe.readFacts();
  const own = Object.entries(cookies)
    .filter(([key]) => !KERNEL_COOKIES.includes(key))
    .map(([, { name }]) => withoutPrefix(name));
  const belongsTo = (cookie: string, name: string) => {
    const bare = withoutPrefix(cookie);
    return bare === name || bare.startsWith(`${name}.`);
  };
  const sessionName = withoutPrefix(cookies.sessionToken?.name ?? "");

  const app: FlowApp = {
    ...{ auth, provider, origin, basePath, browser: first, probe, facts },
    isStored: adapter !== null,
    openBrowser: () => made.openBrowser(),
    openAnother: () => openApp(make, expect, options, isTwice),
    copy(browser) {
      const copied = app.openBrowser();
      for (const [name, value] of browser.cookies) copied.cookies.set(name, value);
      return copied;
    },
    listOwnCookies: ({ cookies: jar }) =>
      [...jar.keys()].filter((cookie) => own.some((name) => belongsTo(cookie, name))),
    moveSession(from, to) {
      const isSession = (name: string) => belongsTo(name, sessionName);
      for (const name of to.cookies.keys()) if (isSession(name)) to.cookies.delete(name);
      for (const [name, value] of from.cookies) if (isSession(name)) to.cookies.set(name, value);
    },
    async begin(browser = first, user = "ada", fields = {}) {
      const callback = await options.begin({ app: made, browser, user, provider, fields });
      const { url = `${basePath}/callback/${provider}` } = callback;
      const sent = { ...callback, url: new URL(url, origin).href };
      for (const secret of listSecrets(sent, browser)) secrets.add(secret);
      // Requests that begin a sign-in may send the other side values that no one else may know.
      probe.responses.length = 0;
      probe.events.length = 0;
      return sent;
    },
    async send(browser, { url, fields, site }) {
      if (!fields) return browser.get(url);
      if (site === undefined) {
        return browser.post(url, { csrfToken: await browser.csrfToken(), ...fields });
      }
      // A copy of a browser does not know which cookies to send, so `postFrom` would send none.
      const sent = [...browser.cookies].filter(([name]) => probe.crossSite.has(name));
      const cookie = sent.map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { origin: new URL(site).origin, cookie };
      const response = await browser.post(url, fields, { headers });
      // The callback may redirect to itself, to receive the cookies that a POST from another site lacks.
      const target = response.headers.get("location") ?? "";
      return target.split("?")[0] === url ? browser.follow(response, 1) : response;
    },
    async signIn(browser = first, user = "ada", fields = {}) {
      const callback = await app.begin(browser, user, fields);
      return { ...callback, response: await app.send(browser, callback) };
    },
    async readUser(browser = first) {
      const response = await browser.get(basePath + PROBE_PATH);
      return ((await response.json()) as { id: string | null }).id;
    },
    takeEvents: () => probe.events.splice(0).map(({ name }) => name),
    expectHandled({ status }) {
      expect([status < 500, log.errors.filter(isCrash)]).toEqual([true, []]);
      app.expectNoLeak();
    },
    expectRefused(response) {
      app.expectHandled(response);
      expect(describeRefusal(response, facts)).toBe("explained");
      expect(probe.events.filter(({ name }) => name === "signIn")).toEqual([]);
    },
    expectNoLeak() {
      expect(findLeaks(secrets, { origin, log, responses: probe.responses })).toEqual([]);
    },
  };
  return app;
}

/** Creates the shared helpers. */
export function createFlowSuite<App extends TestAuth>(
  make: () => App,
  { describe, it, expect }: TestRunner,
  options: FlowSuiteOptions<App>,
): FlowSuite {
  const { maxAge = 900, without = [], timeout = 30_000 } = options;
  return {
    ...{ describe, expect, maxAge },
    test(name, body, needs = [], isTwice = false) {
      if (needs.some((trait) => without.includes(trait))) return;
      const run = async () => {
        const clock = createClock();
        try {
          await body(openApp(make, expect, options, isTwice), clock);
        } finally {
          clock.restore();
        }
      };
      it(name, run, timeout);
    },
  };
}
