import { InvalidConfig } from "../errors/errors.ts";
import type { Reporter } from "../errors/report.ts";
import type { AuthConfig } from "../types/config.ts";
import type { ResolvedConfig } from "../types/options.ts";
import type { Plugin } from "../types/plugin.ts";
import { findByCapability } from "./capability.ts";
import type { Registry } from "./registry.ts";

// Options that a provider's server receives with each sign-in or e-mail.
const SENT = ["clientSecret", "apiKey"] as const;

/**
 * Reports a provider's secret that is also a secret of the application: the provider's server could create a session of
 * any user. Production refuses it; development warns.
 */
export function checkSharedSecrets(
  { secret, jwt, production }: Pick<ResolvedConfig, "jwt" | "production" | "secret">,
  providers: Iterable<{ readonly id: string }>,
  { logger, report }: Reporter,
): void {
  const own = new Set<unknown>([...secret, ...[jwt.secret].flat()]);
  for (const provider of providers) {
    for (const name of SENT) {
      const value = (provider as Readonly<Record<string, unknown>>)[name];
      if (typeof value !== "string" || !own.has(value)) continue;
      const text =
        `The \`${name}\` of the provider "${provider.id}" is also a secret of the application: anyone who knows it can ` +
        "create sessions for any user. Set AUTH_SECRET to another value: npx keyhook secret.";
      if (production) report(new InvalidConfig(text));
      else logger.warn("secret-shared", text);
    }
  }
}

/** Warns in production about rate limits of the providers' flows if no plugin enforces them. */
export function checkLimits(
  { production }: Pick<ResolvedConfig, "production">,
  { flows, providers }: Pick<Registry, "flows" | "providers">,
  plugins: readonly Plugin[],
  { logger }: Pick<Reporter, "logger">,
): void {
  if (!production || findByCapability(plugins, "rate-limit")) return;
  const used = new Set([...providers.values()].map(({ type }) => type));
  const limited = [...used].filter((type) => flows.get(type)?.limits);
  if (!limited.length) return;
  logger.warn(
    "rate-limit-unused",
    `No plugin enforces the rate limits of ${limited.map((type) => `"${type}"`).join(", ")}, so attempts are ` +
      "not limited. Use rateLimit() of keyhook/security/rate-limit, or rateLimit(false) if your server limits attempts.",
  );
}

// Protections that only one strategy offers.
const OF_STRATEGY: readonly (readonly [part: "jwt" | "session", name: string, strategy: string])[] =
  [
    ["session", "maxPerUser", "database"],
    ["session", "checkAge", "hybrid"],
    ["jwt", "bindOrigin", "jwt"],
    ["jwt", "maxSize", "jwt"],
  ];

/** Warns about options that only protect sessions of another strategy. */
export function checkUnusedOptions(
  given: Pick<AuthConfig, "jwt" | "session">,
  used: string,
  { logger }: Pick<Reporter, "logger">,
): void {
  for (const [part, name, strategy] of OF_STRATEGY) {
    const value = (given[part] as Readonly<Record<string, unknown>> | undefined)?.[name];
    if (value === undefined || value === null || value === false) continue;
    if (used === strategy || !["database", "jwt"].includes(used)) continue;
    logger.warn(
      "option-unused",
      `\`${part}.${name}\` has no effect with the session strategy "${used}". Drop it, or set \`session.strategy\` ` +
        `to "${strategy}".`,
    );
  }
}
