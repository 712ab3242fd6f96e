import { findSimilar, nameMissing, nameType } from "../../../src/_kit.ts";
import { type AuthError, InvalidConfig, InvalidEndpoints } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import type { OIDCProvider } from "./provider.ts";
import type { AnyOAuthProvider } from "./types.ts";

/** The fields by the type of their value. Those in `checked` have separate checks with more specific messages. */
const FIELDS = {
  string: ["id", "name", "type", "deprecated", "retired"],
  boolean: ["allowDangerousEmailAccountLinking", "idToken", "lenientNonce"],
  function: ["account", "profile", "emailVerified", "derive", "discovery"],
  object: ["style", "options", "enrich", "profileParams", "client", "settings", "refresh"],
  checked: [
    "clientId",
    "clientSecret",
    "issuer",
    "wellKnown",
    "jwks_endpoint",
    "authorization",
    "token",
    "userinfo",
    "checks",
    "redirectProxyUrl",
    "issuerFromIdToken",
    "revocation",
    "endSession",
  ],
} as const satisfies Readonly<Record<string, readonly (keyof OIDCProvider)[]>>;

type Field = (typeof FIELDS)[keyof typeof FIELDS][number];
type Missing = Exclude<keyof OIDCProvider, Field | symbol>;

// Fails to compile if a field is missing above.
const NAMES: readonly ([Missing] extends [never] ? Field : never)[] = Object.values(FIELDS).flat();

// The options that environment variables can set.
const VARIABLES: Readonly<Record<string, string>> = { issuer: "ISSUER", apiKey: "KEY" };

/** Returns the faults of a provider's fields whose values have the wrong type. */
export function listFieldFaults(provider: AnyOAuthProvider): string[] {
  const values = provider as unknown as Record<string, unknown>;
  return Object.entries(FIELDS).flatMap(([type, names]) =>
    names
      .filter((name) => type !== "checked" && !["undefined", type].includes(typeof values[name]))
      .map((name) => `sets \`${name}\` to ${nameType(values[name])}; it must be a ${type}`),
  );
}

/**
 * Returns the fields of a provider that are not options, each with the option that is probably meant if it is
 * misspelled.
 */
export function listUnknownFields(
  provider: AnyOAuthProvider,
): (readonly [given: string, meant: string | undefined])[] {
  const known = [...NAMES, ...Object.keys(provider.settings ?? {})];
  return Object.keys(provider)
    .filter((name) => !known.includes(name))
    .map((name) => [name, findSimilar(name, known)]);
}

/** Returns the faults of the options that are specific to this provider, or that it requires. */
export function listSettingFaults(
  provider: AnyOAuthProvider,
  { env }: Pick<Kernel, "env">,
): AuthError[] {
  const values = provider as unknown as Record<string, unknown>;
  return Object.entries(provider.settings ?? {}).flatMap(([name, { example, required, oneOf }]) => {
    const value = values[name];
    const isMissing = value === undefined || value === null || value === "";
    if (isMissing && !required) return [];
    const isUsable = typeof value === typeof example && (oneOf?.includes(value as string) ?? true);
    if (!isMissing && isUsable) return [];
    const { id } = provider;
    const suffix = VARIABLES[name];
    const variable = suffix === undefined ? "" : `, or ${nameMissing(env, id, suffix)},`;
    const shown = typeof example === "string" ? example : JSON.stringify(example);
    const wanted = oneOf ? `one of ${oneOf.join(", ")}` : `${nameType(example)} such as ${shown}`;
    const fault = isMissing ? `has no \`${name}\`` : `has an unusable \`${name}\``;
    const Fault = name === "issuer" ? InvalidEndpoints : InvalidConfig;
    return new Fault(`The provider "${id}" ${fault}; set it${variable} to ${wanted}.`);
  });
}
