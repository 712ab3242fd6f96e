export type * from "./rate-limit/types.ts";
export { CredentialsLocked, TooManyAttempts } from "./rate-limit/errors.ts";
export { getClient } from "./rate-limit/client.ts";
export { admitAll, createLimiter } from "./rate-limit/limiter.ts";
export type { Counter, Limiter, Lock } from "./rate-limit/limiter.ts";
import { records } from "../../src/_kit.ts";
import { definePlugin, type Kernel, type Plugin } from "../../src/kernel.ts";
import { guardRoutes } from "./rate-limit/guard.ts";
import { createLimiter } from "./rate-limit/limiter.ts";
import { addRefusals } from "./rate-limit/refusal.ts";
import { type NamedRule, resolveRules } from "./rate-limit/rules.ts";
import { createSubjects } from "./rate-limit/subject.ts";
import type { RateLimitOptions } from "./rate-limit/types.ts";

function checkStore({ config, storeScope, logger }: Kernel, rules: readonly NamedRule[]): void {
  if (!config.production || !rules.length) return;
  if (storeScope !== undefined && storeScope !== "process") return;
  logger.warn(
    "rate-limit-process",
    "Attempts are counted in this process only, until it ends: every other process allows as many again. " +
      "Use a store that all processes share (keyhook/stores/...).",
  );
}

/**
 * Limits attempts by account, by client and by route. The standard preset includes it, and so does every application
 * with sign-in by e-mail, passkeys or the AT Protocol. By default it limits wrong credentials, requests for links,
 * registrations of passkeys, and sign-ins at servers that visitors name. Use it to change the rules, to add rules for
 * any route, or with `false` to limit nothing.
 * @throws InvalidConfig at boot for an invalid rule, such as one of a route that no plugin registers.
 * @example createAuth().use(rateLimit({ rules: { "credentials-client": { max: 200 } } }))
 */
export const rateLimit: (options?: RateLimitOptions | false) => Plugin = definePlugin(
  function rateLimit(options = {}): Plugin {
    return {
      name: "security/rate-limit",
      provides: ["rate-limit"],
      plugins: [records()],
      setup(kernel) {
        if (options === false) return;
        const tools = {
          limiter: createLimiter(kernel, "rate-limit"),
          openSubjects: createSubjects(options),
        };
        addRefusals(kernel);
        // Last, after all flows and routes are registered, including those that other plugins replace.
        kernel.hooks.ready.tap({ name: "rate-limit", stage: "last" }, () => {
          const rules = resolveRules(options, kernel.flows);
          checkStore(kernel, guardRoutes(kernel, rules, tools));
        });
      },
    };
  },
);
