import { findMisspelt, nameType, providerEnvName } from "../../../src/_kit.ts";
import { type AuthError, InvalidConfig, InvalidEndpoints } from "../../../src/errors.ts";
import type { OIDCProvider } from "./provider.ts";
import type { AnyOAuthProvider } from "./types.ts";

/** The type of a field's value, as `typeof` names it; several are separated by a space. */
type Types = "string" | "boolean" | "object" | "function" | "string object" | "string function";

// A type error where a field is missing.
const FIELDS: Readonly<Record<Exclude<keyof OIDCProvider, symbol>, Types>> = {
  id: "string",
  name: "string",
  type: "string",
  style: "object",
  allowDangerousEmailAccountLinking: "boolean",
  options: "object",
  clientId: "string",
  clientSecret: "string function",
  issuer: "string",
  wellKnown: "string",
  jwks_endpoint: "string",
  authorization: "string object",
  token: "string object",
  userinfo: "string object",
  checks: "object",
  account: "function",
  profile: "function",
  emailVerified: "function",
  enrich: "object",
  profileParams: "object",
  discovery: "function",
  client: "object",
  settings: "object",
  deprecated: "string",
  retired: "string",
  revocation: "string",
  endSession: "string",
  refresh: "object",
  redirectProxyUrl: "string",
  idToken: "boolean",
  issuerFromIdToken: "string function",
  lenientNonce: "boolean",
};

// These have faults of their own, which say more.
const CHECKED_ELSEWHERE = ["clientId", "checks", "issuer", "wellKnown", "jwks_endpoint"];

// The options that the environment may state.
const VARIABLES: Readonly<Record<string, string>> = { issuer: "ISSUER", apiKey: "KEY" };

/** Returns the faults of a provider's fields: a name that is misspelt, a value of another type. */
export function fieldFaults(provider: AnyOAuthProvider): string[] {
  const { settings = {} } = provider;
  const misspelt = findMisspelt(provider, [...Object.keys(FIELDS), ...Object.keys(settings)]);
  const values = provider as unknown as Record<string, unknown>;
  return [
    ...misspelt.map(
      ([given, meant]) =>
        `has the field \`${given}\`, which does not exist; did you mean \`${meant}\``,
    ),
    ...Object.entries(FIELDS).flatMap(([name, types]) => {
      const value = values[name];
      if (value === undefined || value === null || CHECKED_ELSEWHERE.includes(name)) return [];
      if (types.split(" ").includes(typeof value)) return [];
      const wanted = types.replace(" ", " or a ").replace("string", "text");
      return `has \`${name}\` that is ${nameType(value)}; it must be a ${wanted}`;
    }),
  ];
}

/** Returns the faults of the options that only this provider has, or that it requires. */
export function settingFaults(provider: AnyOAuthProvider): AuthError[] {
  const values = provider as unknown as Record<string, unknown>;
  return Object.entries(provider.settings ?? {}).flatMap(([name, { example, required, oneOf }]) => {
    const value = values[name];
    const isMissing = value === undefined || value === null || value === "";
    if (isMissing && !required) return [];
    const isUsable = typeof value === "string" && (oneOf?.includes(value) ?? true);
    if (!isMissing && isUsable) return [];
    const { id } = provider;
    const suffix = VARIABLES[name];
    const variable = suffix === undefined ? "" : `, or ${providerEnvName(id, suffix)},`;
    const wanted = oneOf ? `one of ${oneOf.join(", ")}` : `text such as ${example}`;
    const fault = isMissing ? `has no \`${name}\`` : `has an unusable \`${name}\``;
    const Fault = name === "issuer" ? InvalidEndpoints : InvalidConfig;
    return new Fault(`The provider "${id}" ${fault}; set it${variable} to ${wanted}.`);
  });
}
