import { type H3Members, h3Binding } from "../plugins/bindings/h3.ts";
import {
  type Auth,
  type ConfigSource,
  type CreateAuth,
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
export const createAuth: CreateAuth<Auth & H3Members> = (config?: ConfigSource) =>
  createAuthWith(h3Preset, config);

export type { H3Members };
// The types of providers that are plain objects.
export type {} from "./standard.ts";
export default createAuth;
