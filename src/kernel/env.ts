import { findSimilar } from "../platform/spelling.ts";
import type { Env } from "../types/options.ts";

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

// Deno throws when a variable is read without permission, or all are listed without permission for all.
function toPermitted(env: Env): Env {
  const read = (name: string | symbol) => tryRead(() => env[name as string]);
  return new Proxy<Env>(
    {},
    {
      get: (_, name) => read(name),
      ownKeys: () => tryRead(() => Object.keys(env)) ?? [],
      getOwnPropertyDescriptor: (_, name) => ({
        ...{ value: read(name), enumerable: true, configurable: true },
      }),
    },
  );
}

/**
 * Returns the environment of the process (Node, Bun, Deno), or an empty object if there is none. Variables that Deno
 * does not permit to read are absent.
 */
export function processEnv(): Env {
  const scope = globalThis as { process?: { env?: Env } };
  const env = scope.process?.env ?? {};
  return "Deno" in globalThis ? toPermitted(env) : env;
}

/**
 * Reads a boolean: `true`, `1`, `yes`, `on`, or `false`, `0`, `no`, `off`. Returns `undefined` if the variable is unset
 * or empty.
 * @throws TypeError for any other text; the message names the variable.
 */
export function readBoolean(env: Env, name: string): boolean | undefined {
  const text = env[name]?.trim().toLowerCase();
  if (!text) return undefined;
  if (["true", "1", "yes", "on"].includes(text)) return true;
  if (["false", "0", "no", "off"].includes(text)) return false;
  throw new TypeError(`${name} must be true or false`);
}

/**
 * Returns whether this runs on Vercel, which sets the host of requests itself. Elsewhere, the variables may come from a
 * file that `vercel env pull` wrote, with the values of development.
 */
export function isOnVercel({ VERCEL, VERCEL_ENV }: Env): boolean {
  return Boolean(VERCEL) && VERCEL_ENV !== "development";
}

const SECRETS = ["AUTH_SECRET_3", "AUTH_SECRET_2", "AUTH_SECRET_1", "AUTH_SECRET"];

/**
 * Returns the secrets of the environment with their variables: `AUTH_SECRET_3`, `_2`, `_1` and `AUTH_SECRET`, the
 * newest first. The newest signs and seals; the others are still accepted. If none is set, `NEXTAUTH_SECRET` is used.
 */
export function listNamedSecrets(env: Env): [name: string, secret: string][] {
  const list = (names: readonly string[]) =>
    names.flatMap((name): [string, string][] => (env[name] ? [[name, env[name]]] : []));
  const found = list(SECRETS);
  return found.length ? found : list(["NEXTAUTH_SECRET"]);
}

/** Returns the secrets of the environment, without their variables. */
export function listSecrets(env: Env): string[] {
  return listNamedSecrets(env).map(([, secret]) => secret);
}

/** Returns the name of a provider's environment variable: `AUTH_<ID>_<SUFFIX>`. */
export function nameProviderVariable(id: string, suffix: string): string {
  return `AUTH_${id.toUpperCase().replace(/-/g, "_")}_${suffix}`;
}

/** Returns the names of the variables; none on Deno, where listing them may require permission and prompt for it. */
export function listVariables(env: Env): string[] {
  return "Deno" in globalThis ? [] : Object.keys(env);
}

function findMisspelledVariable(env: Env, name: string): string | undefined {
  const others = listVariables(env).filter((one) => /^auth_/i.test(one) && one !== name);
  return findSimilar(name, others);
}

/**
 * Returns a sentence part about a variable that is set instead of a missing one: under a name that other libraries
 * read, or a misspelled one. Returns an empty text if there is none.
 */
export function hintVariable(env: Env, name: string): string {
  const rest = name.replace(/^AUTH_/, "");
  const client = rest.replace(/_(?=(?:ID|SECRET)$)/, "_CLIENT_");
  const aliases = ["", "AUTH_", "NEXTAUTH_", "NEXT_AUTH_", "BETTER_AUTH_", "NUXT_OAUTH_"].flatMap(
    (prefix) => [prefix + rest, prefix + client],
  );
  const found = aliases.find((alias) => alias !== name && env[alias]);
  if (found !== undefined) return ` (${found} is set, but not read)`;
  const misspelled = findMisspelledVariable(env, name);
  return misspelled === undefined ? "" : ` (${misspelled} is set: check its spelling)`;
}

/** Returns the name of a provider's missing variable, with a hint about what is set instead. */
export function nameMissing(env: Env, id: string, suffix: string): string {
  const name = nameProviderVariable(id, suffix);
  return name + hintVariable(env, name);
}

/** Reads a provider's environment variables: `AUTH_<ID>_ID`, `_SECRET`, `_ISSUER` and `_KEY`. */
export function readProviderEnv(env: Env, id: string): Record<string, string> {
  const fields = { clientId: "ID", clientSecret: "SECRET", issuer: "ISSUER", apiKey: "KEY" };
  const found: Record<string, string> = {};
  for (const [field, suffix] of Object.entries(fields)) {
    const value = env[nameProviderVariable(id, suffix)];
    if (value) found[field] = value;
  }
  return found;
}
