import { setMaxListeners } from "node:events";
import { vi } from "vitest";
import { createAuthClient } from "../../src/client.ts";
import type { AuthClient, AuthClientOptions } from "../../src/client.ts";
import type { Browser } from "../../src/testing/testing.ts";

export const HREF = "http://localhost:3000/here?tab=1";

/** The parts of a page that the client uses, as globals of this process, with its own locks and channels. */
export interface FakePage {
  /** The URLs the page navigated to, in order. */
  readonly left: string[];
  /** The URLs among them that replaced this page in the history. */
  readonly replacing: string[];
  reloads: number;
  focus(): void;
  show(visibility: "visible" | "hidden"): void;
  network(state: "online" | "offline"): void;
  /** Restores the page from the back/forward cache. */
  back(): void;
  /** Finishes loading the page, which shows it for the first time. */
  load(): void;
}

export interface FakePageOptions {
  href?: string;
  /** Whether Web Locks exist. Browsers do not provide them on plain http. */
  locks?: boolean;
}

export function openPage({ href = HREF, locks = true }: FakePageOptions = {}): FakePage {
  const view = new EventTarget();
  const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  // One page stands for twenty tabs in these tests.
  setMaxListeners(0, view, page);
  const own = { onLine: true, ...(locks && { locks: globalThis.navigator.locks }) };
  const fake: FakePage = {
    left: [],
    replacing: [],
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
    load: () => void view.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false })),
  };
  vi.stubGlobal("document", page);
  vi.stubGlobal("navigator", own);
  vi.stubGlobal("addEventListener", view.addEventListener.bind(view));
  vi.stubGlobal("location", {
    href,
    assign: (url: string) => void fake.left.push(url),
    replace: (url: string) => void (fake.left.push(url), fake.replacing.push(url)),
    reload: () => void fake.reloads++,
  });
  return fake;
}

type Fetch = NonNullable<AuthClientOptions["fetch"]>;

/** Creates a `fetch` that sends the cookies of a browser to the browser's handler. */
export function toFetch(browser: Browser, asked: string[] = []): Fetch {
  return async (url, init) => {
    const path = new URL(url, HREF);
    asked.push(`${init.method ?? "GET"} ${path.pathname}`);
    const target = path.pathname + path.search;
    return init.method === "POST" ? browser.post(target, {}, init) : browser.get(target, init);
  };
}

/** Creates a server whose responses come from the test. */
export function createTestServer(answer: (path: string, init: RequestInit) => unknown) {
  const asked: string[] = [];
  const fetch: Fetch = async (url, init) => {
    const path = new URL(url, HREF).pathname;
    asked.push(`${init.method ?? "GET"} ${path}`);
    const body = await answer(path, init);
    return body instanceof Response ? body : Response.json(body);
  };
  return { asked, fetch };
}

/** Opens tabs of one browser on one server. Each has its own client, like a page. */
export function openTabs(count: number, options: AuthClientOptions): AuthClient[] {
  return Array.from({ length: count }, () => createAuthClient(options));
}

/** Waits in real time for pending work, regardless of the fake clock. */
export async function settle(turns = 30): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((done) => setImmediate(done));
}
