import { type AstroMembers, astroBinding } from "../plugins/bindings/astro.ts";
import {
  type Auth,
  type ConfigSource,
  type CreateAuth,
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
export const createAuth: CreateAuth<Auth & AstroMembers> = (config?: ConfigSource) =>
  createAuthWith(astroPreset, config);

export type { AstroMembers, AstroContext, AstroMiddleware } from "../plugins/bindings/astro.ts";
// The types of providers that are plain objects.
export type {} from "./standard.ts";
export default createAuth;
