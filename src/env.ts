import type { Env } from "./types/options.ts";

/** The process's environment where there is one (Node, Bun, Deno), else nothing. */
export function processEnv(): Env {
  const scope = globalThis as { process?: { env?: Env } };
  return scope.process?.env ?? {};
}

/**
 * Reads a boolean as people write it. Returns `undefined` when the variable is unset or empty.
 * @throws TypeError for any other text, naming the variable.
 */
export function envBoolean(env: Env, name: string): boolean | undefined {
  const text = env[name]?.trim().toLowerCase();
  if (!text) return undefined;
  if (["true", "1", "yes", "on"].includes(text)) return true;
  if (["false", "0", "no", "off"].includes(text)) return false;
  throw new TypeError(`${name} must be true or false`);
}

/**
 * The secrets of the environment: `AUTH_SECRET_3`, `_2`, `_1` and `AUTH_SECRET`, the newest first; it
 * signs, the others are still accepted. `NEXTAUTH_SECRET` when there is none of them.
 */
export function environmentSecrets(env: Env): string[] {
  const names = ["AUTH_SECRET_3", "AUTH_SECRET_2", "AUTH_SECRET_1", "AUTH_SECRET"];
  const found = names.flatMap((name) => env[name] || []);
  return found.length ? found : [env.NEXTAUTH_SECRET || []].flat();
}

/** What the environment says of a provider: `AUTH_<ID>_ID`, `_SECRET`, `_ISSUER` and `_KEY`. */
export function providerEnv(env: Env, id: string): Record<string, string> {
  const prefix = `AUTH_${id.toUpperCase().replace(/-/g, "_")}_`;
  const fields = { clientId: "ID", clientSecret: "SECRET", issuer: "ISSUER", apiKey: "KEY" };
  const found: Record<string, string> = {};
  for (const [field, suffix] of Object.entries(fields)) {
    const value = env[prefix + suffix];
    if (value) found[field] = value;
  }
  return found;
}
