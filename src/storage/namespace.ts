import { PluginError } from "../errors/errors.ts";

/** The namespace of the keyring: one record per secret, which leads to the space of its application. */
export const KEYRING = "keyring";

const NAMESPACE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX_NAMESPACE_LENGTH = 24;

/**
 * Checks that a text is a valid namespace. Hyphens are single, since the store itself uses double ones.
 * @throws PluginError
 */
export function checkNamespace(namespace: string): void {
  if (NAMESPACE.test(namespace) && namespace.length <= MAX_NAMESPACE_LENGTH) return;
  throw new PluginError(
    `"${namespace}" is not a valid store namespace: lower-case words joined by "-", at most ` +
      `${MAX_NAMESPACE_LENGTH} characters.`,
  );
}
