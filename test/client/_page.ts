import { setMaxListeners } from "node:events";
import { afterEach, vi } from "vitest";
import { createAuthClient } from "../../src/client.ts";
import type { AuthClient, AuthClientOptions } from "../../src/client.ts";
import type { Browser } from "../../src/testing.ts";

export const HREF = "http://localhost:3000/here?tab=1";

/** What a page is to the client: some globals of this process, which has locks and channels of its own. */
export interface FakePage {
  /** Where the page went, in order. */
  readonly left: string[];
  reloads: number;
  focus(): void;
  show(visibility: "visible" | "hidden"): void;
  network(state: "online" | "offline"): void;
  /** The page comes back as it was left. */
  back(): void;
}

export interface FakePageOptions {
  href?: string;
  /** As on plain http, where browsers have none. */
  locks?: boolean;
}

afterEach(() => vi.unstubAllGlobals());

export function openPage({ href = HREF, locks = true }: FakePageOptions = {}): FakePage {
  const view = new EventTarget();
  const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  // Twenty tabs are one page here.
  setMaxListeners(0, view, page);
  const own = { onLine: true, ...(locks && { locks: globalThis.navigator.locks }) };
  const fake: FakePage = {
    left: [],
    reloads: 0,
    focus: () => void view.dispatchEvent(new Event("focus")),
    show(visibility) {
      page.visibilityState = visibility;
      page.dispatchEvent(new Event("visibilitychange"));
    },
    network(state) {
      own.onLine = state === "online";
      view.dispatchEvent(new Event(state));
    },
    back: () => void view.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true })),
  };
  vi.stubGlobal("document", page);
  vi.stubGlobal("navigator", own);
  vi.stubGlobal("addEventListener", view.addEventListener.bind(view));
  vi.stubGlobal("location", {
    href,
    assign: (url: string) => void fake.left.push(url),
    reload: () => void fake.reloads++,
  });
  return fake;
}

type Fetch = NonNullable<AuthClientOptions["fetch"]>;

/** A `fetch` with the cookies of a browser, to the handler behind it. */
export function fetchOf(browser: Browser, asked: string[] = []): Fetch {
  return async (url, init) => {
    const path = new URL(url, HREF);
    asked.push(`${init.method ?? "GET"} ${path.pathname}`);
    const target = path.pathname + path.search;
    return init.method === "POST" ? browser.post(target, {}, init) : browser.get(target, init);
  };
}

/** A server that answers what the test says. */
export function serverOf(answer: (path: string, init: RequestInit) => unknown) {
  const asked: string[] = [];
  const fetch: Fetch = async (url, init) => {
    const path = new URL(url, HREF).pathname;
    asked.push(`${init.method ?? "GET"} ${path}`);
    const body = await answer(path, init);
    return body instanceof Response ? body : Response.json(body);
  };
  return { asked, fetch };
}

/** Tabs of one browser at one server; each has a client of its own, as a page would. */
export function tabsOf(count: number, options: AuthClientOptions): AuthClient[] {
  return Array.from({ length: count }, () => createAuthClient(options));
}

/** Lets what is under way arrive: real time, whatever the clock of the test says. */
export async function settle(turns = 30): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((done) => setImmediate(done));
}
