import { ok } from "node:assert/strict";
import { createAuth, customFetch } from "keyhook";
import { browse, type Fetch } from "../browser.ts";
import type { Case, Side } from "../measure.ts";
import * as idp from "../provider.ts";
import { COOKIE, keyhookCookie, ORIGIN, SECRET } from "../subjects.ts";

/** Sign-ins that wait for the identity provider while sessions are read. */
const WAITING = 100;
const READS = 2000;

/** Creates Keyhook with a provider whose token endpoint never responds, and counts the requests that wait for it. */
function withHanging() {
  let waiting = 0;
  const hang: Fetch = (_request, init?: RequestInit) => {
    waiting++;
    return new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => {
        waiting--;
        reject(init.signal?.reason as Error);
      });
    });
  };
  const auth = createAuth({
    ...{ secret: SECRET, trustHost: true, logger: { error() {}, warn() {} }, env: {} },
    providers: [{ ...idp.providers.oauth, [customFetch]: hang as typeof fetch } as never],
  });
  return { fetch: auth.fetch as Fetch, count: () => waiting };
}

async function beginSignIn(fetch: Fetch): Promise<void> {
  const visit = browse(fetch, ORIGIN);
  const { csrfToken } = (await (await visit("/auth/csrf")).json()) as { csrfToken: string };
  const response = await visit("/auth/signin/idp", new URLSearchParams({ csrfToken }));
  // Not awaited: the call ends with the time limit.
  void visit(idp.consent(response.headers.get("location") ?? ""));
}

const p99 =
  (wanted: number): Side =>
  async () => {
    const { fetch, count } = withHanging();
    const cookie = await keyhookCookie();
    ok(cookie.startsWith(COOKIE));
    const read = async (): Promise<number> => {
      const request = new Request(`${ORIGIN}/auth/session`, { headers: { cookie } });
      const start = performance.now();
      const response = await fetch(request);
      const time = performance.now() - start;
      ok(response.status === 200);
      return time;
    };
    return async () => {
      while (count() < wanted) await beginSignIn(fetch);
      const times: number[] = [];
      for (let at = 0; at < READS; at++) times.push(await read());
      ok(count() >= wanted / 2);
      return (times.sort((one, other) => one - other)[Math.floor(READS * 0.99)] ?? NaN) * 1000;
    };
  };

export const cases: Case[] = [
  {
    name: `session read, 99th percentile, ${WAITING} sign-ins waiting for a provider that hangs`,
    unit: "us",
    target: 1.5,
    against: "none waiting",
    sides: { ours: p99(WAITING), "none waiting": p99(0) },
  },
];
