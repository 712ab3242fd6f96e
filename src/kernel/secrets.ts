import { InvalidConfig } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import type { AuthConfig } from "../types/config.ts";
import type { Env, Logger } from "../types/options.ts";
import { namedSecrets } from "./env.ts";

/** A secret, and the option or variable that it is from. */
export type NamedSecret = readonly [name: string, secret: string];

/** Returns the secrets of an option, without the empty ones of variables that are not set. */
export function nameSecrets(name: string, value: string | readonly string[]): NamedSecret[] {
  const list = [value].flat();
  return list.flatMap((secret, at): NamedSecret[] => {
    if (!secret) return [];
    return [[list.length > 1 ? `\`${name}[${at}]\`` : `\`${name}\``, secret]];
  });
}

/**
 * Returns the configuration's secrets, and what stated them. The newest comes first: it signs and seals, the others
 * are still accepted.
 */
export function getSecrets(
  config: Pick<AuthConfig, "secret">,
  env: Env,
): { named: NamedSecret[]; source: string } {
  const given = nameSecrets("secret", config.secret ?? []);
  if (given.length) return { named: given, source: "`secret`" };
  const named = namedSecrets(env);
  const source = named.map(([name]) => name).join(", ") || "AUTH_SECRET is not set";
  return { named, source };
}

/** The fewest characters of a secret in production: 16 of base64 are 96 bits. */
const MIN_LENGTH = 16;
/** The fewest characters of a secret without a warning: 32 of base64 are 192 bits. */
const GOOD_LENGTH = 32;

/** How to mend a secret that is missing or weak. */
export const SECRET_MEND = "Set it to at least 32 random characters: npx keyhook secret.";

// A token that was sealed under a secret that can be guessed is an offline test of every guess.
function findWeakness(
  secret: string,
): { code: string; text: string; isRefused: boolean } | undefined {
  const text = secret.trim();
  if (new Set(text).size < 2) {
    const what = text === "" ? "is blank" : "is one character, repeated";
    return { code: "secret-weak", text: what, isRefused: true };
  }
  const { length } = text;
  if (length >= GOOD_LENGTH) return undefined;
  return { code: "secret-short", text: `has ${length} characters`, isRefused: length < MIN_LENGTH };
}

/** What `checkSecrets` reports to. */
export interface SecretCheck {
  production: boolean;
  logger: Pick<Required<Logger>, "warn">;
  report: Report;
}

/**
 * Reports each secret that can be guessed: in production, one of fewer than 16 characters, a blank one and one
 * character repeated are refused; otherwise these, and any of fewer than 32 characters, are warned of. All secrets
 * count, not only the first: the others are still accepted.
 */
export function checkSecrets(
  named: readonly (readonly [name: string, secret: unknown])[],
  { production, logger, report }: SecretCheck,
): void {
  for (const [name, secret] of named) {
    if (typeof secret !== "string") {
      report(new InvalidConfig(`${name} must be text. ${SECRET_MEND}`));
      continue;
    }
    const weakness = findWeakness(secret);
    if (!weakness) continue;
    const { code, text, isRefused } = weakness;
    if (production && isRefused) report(new InvalidConfig(`${name} ${text}. ${SECRET_MEND}`));
    else {
      const outlook = isRefused ? " Production refuses it." : "";
      logger.warn(code, `${name} ${text}.${outlook} ${SECRET_MEND}`);
    }
  }
}
