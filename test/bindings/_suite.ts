import { describe, expect, it } from "vitest";
import { createAuth } from "../../presets/standard.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import {
  type BindingSite as Site,
  type BindingSuiteOptions,
  testBinding as testContract,
} from "../../src/testing.ts";
import { createLog, credentials, ENV, ORIGIN, SECRET } from "../_app.ts";

export type { Site };

/** The body of the application's responses under every binding. */
export const toAppBody = (method: string, body: string) => `app ${method} ${body}`;

/** Builds the configuration that every binding is tested with. */
export function buildConfig(over: AuthConfig = {}): AuthConfig {
  const log = createLog();
  log.ignoreErrors();
  return {
    secret: SECRET,
    env: ENV,
    logger: log.logger,
    basePath: "/auth",
    providers: [credentials()],
    callbacks: {
      jwt: ({ token, trigger, session }) =>
        trigger === "update" ? { ...token, name: (session as { name: string }).name } : token,
    },
    ...over,
  };
}

/** The contract of every binding: the same responses as `auth.fetch` itself. */
export function testBinding(
  name: string,
  make: (config: AuthConfig) => Site | Promise<Site>,
  options: BindingSuiteOptions = {},
): void {
  describe(name, () => {
    testContract(createAuth, make, { describe, expect, it }, options);
  });
}

/** The site without a binding, as the reference for all bindings. */
export function plainSite(config: AuthConfig): Site {
  const auth = createAuth(config);
  return {
    origin: ORIGIN,
    fetch: async (request) =>
      (await auth.handle(request)) ?? new Response(toAppBody(request.method, await request.text())),
  };
}
