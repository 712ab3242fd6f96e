import { InvalidConfig, MissingSecretError } from "../errors/errors.ts";
import type { Reporter } from "../errors/report.ts";
import type { AuthConfig } from "../types/config.ts";
import type { Env, ResolvedConfig } from "../types/options.ts";
import { hintVariable, listNamedSecrets } from "./env.ts";
import { type ResolveOptions, stateEnvironment } from "./resolve-options.ts";

/** A secret, and the option or variable that sets it. */
export type NamedSecret = readonly [name: string, secret: string];

/** Returns the secrets of an option, without the empty values of unset variables. */
function nameSecrets(name: string, value: string | readonly string[]): NamedSecret[] {
  const list = [value].flat();
  return list.flatMap((secret, at): NamedSecret[] => {
    if (!secret) return [];
    return [[list.length > 1 ? `\`${name}[${at}]\`` : `\`${name}\``, secret]];
  });
}

/**
 * Returns the configuration's secrets and what set them. The newest comes first: it signs and seals, and the others are
 * still accepted.
 */
export function getSecrets(
  config: Pick<AuthConfig, "secret">,
  env: Env,
): { named: NamedSecret[]; source: string } {
  const given = nameSecrets("secret", config.secret ?? []);
  if (given.length) return { named: given, source: "`secret`" };
  const named = listNamedSecrets(env);
  const source = named.map(([name]) => name).join(", ") || "AUTH_SECRET is not set";
  return { named, source };
}

/** Minimum length of a secret in production: 16 base64 characters are 96 bits. */
const MIN_LENGTH = 16;
/** Minimum length of a secret without a warning: 32 base64 characters are 192 bits. */
const GOOD_LENGTH = 32;

/** How to fix a missing or weak secret. */
const SECRET_FIX = "Set it to at least 32 random characters: npx keyhook secret.";

// A token that was sealed with a weak secret lets an attacker test every guess offline.
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

/**
 * Reports each secret that can be guessed. Production refuses secrets of fewer than 16 characters, blank ones, and
 * repetitions of one character. In all other cases, these and any secret of fewer than 32 characters cause a warning.
 * All secrets are checked, because the older ones are still accepted.
 */
export function checkSecrets(
  named: readonly (readonly [name: string, secret: unknown])[],
  { production, logger, report }: Reporter & { production: boolean },
): void {
  for (const [name, secret] of named) {
    if (typeof secret !== "string") {
      report(new InvalidConfig(`${name} must be text. ${SECRET_FIX}`));
      continue;
    }
    const weakness = findWeakness(secret);
    if (!weakness) continue;
    const { code, text, isRefused } = weakness;
    if (production && isRefused) report(new InvalidConfig(`${name} ${text}. ${SECRET_FIX}`));
    else {
      const outlook = isRefused ? " Production refuses it." : "";
      logger.warn(code, `${name} ${text}.${outlook} ${SECRET_FIX}`);
    }
  }
}

type Secrets = readonly [string, ...string[]];

// Returns the secrets, or one that is created for development.
function completeSecrets(named: readonly NamedSecret[], options: ResolveOptions): Secrets {
  const { env, environment, production, devSecret, keptSecret, logger, report } = options;
  const [first, ...others] = named.map(([, secret]) => secret);
  if (first === undefined && keptSecret && !production) return [keptSecret];
  if (first === undefined) {
    if (production) {
      report(
        new MissingSecretError(
          `No secret${hintVariable(env, "AUTH_SECRET")}. Set AUTH_SECRET (or \`secret\`) to at least 32 random ` +
            `characters: npx keyhook secret.${stateEnvironment(environment)}`,
        ),
      );
    } else {
      logger.warn(
        "secret-missing",
        "AUTH_SECRET is not set: a random secret is used, and when this process ends, all users are signed out and their " +
          "second factors can no longer be checked. " +
          SECRET_FIX,
      );
    }
    return [devSecret()];
  }
  checkSecrets(named, options);
  return [first, ...others];
}

/** Returns the secrets of the application and of its session tokens. Reports weak ones. */
export function resolveSecrets(
  config: Pick<AuthConfig, "jwt" | "secret">,
  options: ResolveOptions,
): Pick<ResolvedConfig, "secret" | "randomSecret"> & {
  jwtSecret: ResolvedConfig["jwt"]["secret"];
} {
  const { named } = getSecrets(config, options.env);
  const secret = completeSecrets(named, options);
  const own = nameSecrets("jwt.secret", config.jwt?.secret ?? []);
  checkSecrets(own, options);
  const [used, given] = own.length
    ? [own.map(([, text]) => text), config.jwt?.secret]
    : [secret, config.secret];
  // The application's own `jwt.encode` receives the secret in the form that Auth.js passes: it may sign with the text,
  // or with the first entry.
  const isText = given?.length
    ? typeof given === "string"
    : options.textSecret && used.length === 1;
  return { secret, randomSecret: !named.length, jwtSecret: (isText && used[0]) || [...used] };
}
