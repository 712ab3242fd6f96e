import { ok } from "node:assert/strict";
import type { Fetch } from "../browser.ts";
import { fixed } from "../floor.ts";
import { type Case, type Round, timed } from "../measure.ts";
import { bare, better, core, keyhook, many, ORIGIN, type Providers } from "../subjects.ts";

/** Measures a GET that must return 200 with a matching text. */
function get(fetch: Fetch, path: string, expected: RegExp, cookie?: string): Promise<Round> {
  return timed({
    prepare: () =>
      new Request(ORIGIN + path, { headers: { accept: "*/*", ...(cookie && { cookie }) } }),
    run: fetch,
    async check(response) {
      ok(response.status === 200);
      ok(expected.test(await response.text()));
    },
  });
}

function route(path: string, expected: RegExp, betterPath: string, value: unknown): Case {
  return {
    name: `GET ${path}`,
    unit: "us",
    target: 0.08,
    sides: {
      ours: () => get(keyhook(), path, expected),
      "@auth/core": () => get(core(), path, expected),
      "better-auth": () => get(better(), betterPath, /ok|null/),
      "bare h3": () => get(bare(path, value), path, /./),
      floor: () => get(fixed(JSON.stringify(value)), path, /./),
    },
  };
}

const provider = {
  id: "idp",
  name: "Provider",
  type: "oauth",
  signinUrl: `${ORIGIN}/auth/signin/idp`,
  callbackUrl: `${ORIGIN}/auth/callback/idp`,
};

const PAGE = "<!doctype html><title>Sign in</title><p>Sign in with Provider".padEnd(8192);

/** Measures the ratio of the time of a request with 90 providers to that with one. */
async function growth(
  subject: (providers: Providers) => Fetch,
  path: string,
  expected: RegExp,
): Promise<Round> {
  const one = await get(subject(many(1)), path, expected);
  const ninety = await get(subject(many(90)), path, expected);
  return async () => (1 / (await one())) * (await ninety());
}

function growing(path: string, expected: RegExp, target: number): Case {
  return {
    name: `GET ${path}, 90 providers over 1`,
    unit: "times",
    target,
    absolute: true,
    sides: {
      ours: () => growth(keyhook, path, expected),
      "@auth/core": () => growth(core, path, expected),
    },
  };
}

export const cases: Case[] = [
  // better-auth has neither of these two routes, so its smallest route replaces them.
  route("/auth/csrf", /"csrfToken":"[0-9a-f]{64}"/, "/auth/ok", { csrfToken: "f".repeat(64) }),
  route("/auth/providers", /"callbackUrl":/, "/auth/ok", { idp: provider }),
  route("/auth/session", /^null$/, "/auth/get-session", {}),
  {
    name: "sign-in page",
    unit: "us",
    target: 0.1,
    sides: {
      ours: () => get(keyhook(), "/auth/signin", /Sign in with Provider/),
      "@auth/core": () => get(core(), "/auth/signin", /Sign in with Provider/),
      floor: () => get(fixed(PAGE, "text/html"), "/auth/signin", /Sign in with Provider/),
    },
  },
  growing("/auth/session", /^null$/, 1),
  growing("/auth/providers", /"callbackUrl":/, 1.2),
  growing("/auth/signin", /Sign in with Provider/, 3),
];
