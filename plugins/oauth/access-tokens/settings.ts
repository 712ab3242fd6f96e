import { InvalidConfig } from "../../../src/errors.ts";
import type { AccessTokensOptions } from "./types.ts";

const DEFAULTS = { minValidity: 60, grace: 600 } as const satisfies AccessTokensOptions;
const MAX_S = 86_400;

/**
 * Returns the options with their defaults.
 * @throws InvalidConfig for an option with an invalid value.
 */
export function resolveSettings(options: AccessTokensOptions): Required<AccessTokensOptions> {
  const settings = { ...DEFAULTS, ...options };
  for (const name of Object.keys(DEFAULTS) as (keyof AccessTokensOptions)[]) {
    const value = settings[name];
    if (Number.isInteger(value) && value >= 0 && value <= MAX_S) continue;
    throw new InvalidConfig(
      `\`${name}\` of accessTokens() is ${value}. Set a whole number of seconds, from 0 to ${MAX_S}.`,
    );
  }
  return settings;
}
