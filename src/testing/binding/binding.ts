import type { Auth } from "../../types/auth.ts";
import type { AuthConfig } from "../../types/config.ts";
import type { AuthContext } from "../../types/kernel.ts";
import type { Awaitable } from "../../types/models.ts";
import type { Plugin } from "../../types/plugin.ts";
import { createBrowser } from "../browser.ts";
import { createTestLog } from "../log.ts";
import type { TestRunner } from "../runner.ts";
import { type BindingSite, visitSite } from "./visit.ts";

/** Options of `testBinding`. */
export interface BindingSuiteOptions {
  /** Whether the application's own body parser comes first and itself refuses malformed JSON. Default `false`. */
  parser?: boolean;
  /** Timeout of a test in milliseconds. Default 30000. */
  timeout?: number;
}

const PARALLEL = 8;
const PROBE_PATH = "/testing-binding";
/** An address of a documentation network. */
const FORGED_ADDRESS = "203.0.113.9";

// Responds with what the binding knows about a request.
const probe: Plugin = {
  name: "testing/binding",
  setup(kernel) {
    kernel.addRoute({
      method: "GET",
      path: PROBE_PATH,
      json: true,
      handler: (ctx: AuthContext) => ctx.json({ ip: ctx.ip ?? null }),
    });
  },
};

function buildConfig(): AuthConfig {
  const provider = {
    id: "credentials",
    name: "Credentials",
    type: "credentials",
    credentials: { username: {}, password: { type: "password" } },
    authorize: ({ username, password }: Record<string, string | undefined>) =>
      password === "right" ? { id: username, name: username } : null,
  };
  return {
    secret: "a secret for tests, that protects nothing",
    env: { NODE_ENV: "test" },
    logger: createTestLog().logger,
    basePath: "/auth",
    session: { strategy: "jwt" },
    providers: [provider as never],
    plugins: [probe],
    callbacks: {
      jwt: ({ token, trigger, session }) =>
        trigger === "update" ? { ...token, name: (session as { name: string }).name } : token,
    },
  };
}

/**
 * Registers the conformance suite for a binding. `make` builds an application with the binding for a configuration, in
 * this process or on a server. For every path outside the base path, the application must respond with status 200 and
 * the text `app`, the method and the body, such as `app POST a=1`. The responses of the routes are compared with those
 * of `createAuth(config).fetch`.
 * @example
 * import createAuth from "keyhook";
 * import { describe, expect, it } from "vitest";
 *
 * const make = (config: AuthConfig) => serve(new Framework().use(createFrameworkAuth(config).middleware));
 * testBinding(createAuth, make, { describe, expect, it });
 */
export function testBinding(
  createAuth: (config: AuthConfig) => Auth,
  make: (config: AuthConfig) => Awaitable<BindingSite>,
  { describe, it, expect }: TestRunner,
  { parser = false, timeout = 30_000 }: BindingSuiteOptions = {},
): void {
  const test = (name: string, body: (site: BindingSite) => Promise<void>): void => {
    const run = async () => {
      const site = await make(buildConfig());
      try {
        await body(site);
      } finally {
        await site.close?.();
      }
    };
    it(name, run, timeout);
  };

  describe("Binding: the routes", () => {
    test("status, headers, cookies and body of every response are those of `auth.fetch`", async (site) => {
      const { fetch } = createAuth(buildConfig());
      const expected = await visitSite({ origin: "http://localhost:3000", fetch });
      const recorded = await visitSite(site);
      for (const [step, response] of expected) {
        const found = recorded.get(step);
        // The parser responds with its own page.
        const isForeign = parser && step === "malformed JSON";
        if (isForeign) expect([step, found?.status]).toEqual([step, response.status]);
        else expect([step, found]).toEqual([step, response]);
      }
    });

    test("concurrent visitors get separate sessions", async (site) => {
      const users = Array.from({ length: PARALLEL }, (_, at) => `user-${at}`);
      const names = users.map(async (username) => {
        const browser = createBrowser((request) => site.fetch(request), { origin: site.origin });
        await browser.signInWith("credentials", { username, password: "right" });
        return (await browser.session<{ user: { name: string } }>())?.user.name;
      });
      expect(await Promise.all(names)).toEqual(users);
    });

    test("no header of a request determines the client's address", async (site) => {
      const headers = { "x-forwarded-for": FORGED_ADDRESS, forwarded: `for=${FORGED_ADDRESS}` };
      const request = new Request(`${site.origin}/auth${PROBE_PATH}`, { headers });
      const { ip } = (await (await site.fetch(request)).json()) as { ip: string | null };
      expect(ip === FORGED_ADDRESS).toBe(false);
    });
  });

  describe("Binding: the application", () => {
    test("the application receives the requests for other paths, with their bodies", async (site) => {
      const send = async (path: string, init?: RequestInit) => {
        const response = await site.fetch(new Request(site.origin + path, init));
        return [response.status, await response.text()];
      };
      const post = { method: "POST", body: "kept", headers: { "content-type": "a/b" } };
      expect(await send("/elsewhere")).toEqual([200, "app GET "]);
      expect(await send("/authority/session")).toEqual([200, "app GET "]);
      expect(await send("/elsewhere", post)).toEqual([200, "app POST kept"]);
    });
  });
}
