import { type H3Members, h3Binding } from "../plugins/bindings/h3.ts";
import {
  type Auth,
  type AuthConfig,
  type ConfigSource,
  createAuthWith,
  definePreset,
  type Preset,
} from "../src/kernel.ts";
import { standardPreset } from "./standard.ts";

/** The standard preset with the binding for h3. */
export const h3Preset: Preset<H3Members> = definePreset({
  name: "h3",
  extends: [standardPreset],
  plugins: [],
  binding: h3Binding,
});

/**
 * Creates an Auth of the standard preset for h3, versions 1 and 2.
 * @example
 * const auth = createAuth().use(githubPlugin());
 * const app = new H3().use(auth.middleware);
 */
export function createAuth(config?: ConfigSource): Auth & H3Members;
// Calls match the overload above. This overload is for error messages: the compiler suggests names only for an object
// type.
export function createAuth(config: AuthConfig): Auth & H3Members;
export function createAuth(config?: ConfigSource): Auth & H3Members {
  return createAuthWith(h3Preset, config);
}

export type { H3Members };
// The types of providers that are plain objects.
export type {} from "./standard.ts";
export default createAuth;
