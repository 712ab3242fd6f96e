import type { Auth } from "../types/auth.ts";
import type { AuthConfig } from "../types/config.ts";
import type { Plugin } from "../types/plugin.ts";
import { type Browser, createBrowser } from "./browser.ts";
import { createIdentityProvider } from "./identity-provider.ts";
import type { IdentityProvider } from "./identity-provider/types.ts";
import { createTestLog, type TestLog } from "./log.ts";

/** Options of `createTestAuth`: the configuration, and its own. */
export interface TestAuthOptions extends AuthConfig {
  /** Origin of the application. Default `http://localhost:3000`. */
  origin?: string;
  /** The identity provider that `browser.signInAs` visits. Default: a new one. */
  idp?: IdentityProvider;
}

/** An application under test. */
export interface TestAuth<A extends Auth = Auth> {
  readonly auth: A;
  /** The browser of the first visitor. */
  readonly browser: Browser;
  /**
   * Opens a browser for another visitor, or at another origin of the application. `ip` is the visitor's address
   * (`ctx.ip`). By default it is unknown, so that rate limits by client do not apply.
   */
  openBrowser(origin?: string, options?: { ip?: string }): Browser;
  /** The identity provider that `browser.signInAs` visits. */
  readonly idp: IdentityProvider;
  /** Stays empty if the configuration has a `logger`. */
  readonly log: TestLog;
}

// Replaces the standard preset's development store, whose files would outlive the test.
const WITHOUT_FILES: Plugin = { name: "stores/development", setup() {} };

/**
 * Creates an application for a test, without the environment of the process and without files: an Auth with the given
 * plugins, an identity provider to sign users in with, a log and a browser. Any `createAuth` works, a preset's or the
 * application's own. `keyhook/minimal` needs `oidcFlow()` among the plugins, or other `providers`. Users are stored
 * with `plugins: [memoryStore(), storeAdapter()]`.
 * @throws TypeError when `createAuth` is not a function.
 * @example
 * import createAuth from "keyhook";
 *
 * const { auth, browser, log } = createTestAuth(createAuth, { plugins: [onlyFrom("example.com")] });
 * await browser.signInAs({ email: "ada@example.com" });
 * expect(await browser.session()).toMatchObject({ user: { email: "ada@example.com" } });
 * expect(auth.inspect().hooks.signIn?.taps).toMatchObject([{ name: "only-from" }]);
 */
export function createTestAuth<A extends Auth>(
  createAuth: (config: AuthConfig) => A,
  options: TestAuthOptions = {},
): TestAuth<A> {
  if (typeof createAuth !== "function") {
    throw new TypeError(
      "createTestAuth() needs the function `createAuth` first: createTestAuth(createAuth, { plugins: [...] }).",
    );
  }
  const { origin = "http://localhost:3000", idp = createIdentityProvider(), ...config } = options;
  const log = createTestLog();
  const auth = createAuth({
    secret: "a secret for tests, that protects nothing",
    env: { NODE_ENV: "test" },
    logger: log.logger,
    providers: [idp.provider()],
    ...config,
  }).use(WITHOUT_FILES);
  const { basePath } = config;
  const fetchFrom = (ip: string) => async (request: Request) =>
    (await auth.handle(request, { ip })) ?? auth.fetch(request);
  const openBrowser = (at = origin, { ip }: { ip?: string } = {}) =>
    createBrowser(ip === undefined ? auth.fetch : fetchFrom(ip), {
      origin: at,
      idp,
      log,
      ...(basePath !== undefined && { basePath }),
    });
  return { auth, browser: openBrowser(), openBrowser, idp, log };
}
