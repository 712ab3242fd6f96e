import { type AstroMembers, astroBinding } from "../plugins/bindings/astro.ts";
import {
  type Auth,
  type AuthConfig,
  type ConfigSource,
  createAuthWith,
  definePreset,
  type Preset,
  type Session,
} from "../src/kernel.ts";
import { standardPreset } from "./standard.ts";

declare global {
  namespace App {
    interface Locals {
      /** Resolves to the session of this request, or to `null`. Read once. */
      auth(): Promise<Session | null>;
    }
  }
}

/** The standard preset with the binding for Astro. */
export const astroPreset: Preset<AstroMembers> = definePreset({
  name: "astro",
  extends: [standardPreset],
  plugins: [],
  binding: astroBinding,
});

/**
 * Creates an Auth of the standard preset for Astro.
 * @example
 * // src/middleware.ts
 * export const { onRequest } = createAuth().use(githubPlugin());
 */
export function createAuth(config?: ConfigSource): Auth & AstroMembers;
// Calls match the overload above. This overload is for error messages: the compiler suggests names only for an object
// type.
export function createAuth(config: AuthConfig): Auth & AstroMembers;
export function createAuth(config?: ConfigSource): Auth & AstroMembers {
  return createAuthWith(astroPreset, config);
}

export type { AstroMembers, AstroContext, AstroMiddleware } from "../plugins/bindings/astro.ts";
// The types of providers that are plain objects.
export type {} from "./standard.ts";
export default createAuth;
