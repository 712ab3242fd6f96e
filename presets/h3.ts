import { type H3Face, h3Binding } from "../plugins/bindings/h3.ts";
import { type Auth, type ConfigSource, createAuthWith, definePreset } from "../src/index.ts";
import { standardPreset } from "./standard.ts";

/** The standard preset with the face for h3. */
export const h3Preset = definePreset({
  name: "h3",
  extends: [standardPreset],
  binding: h3Binding,
});

/**
 * Makes an Auth for h3 version 2.
 * @example
 * const auth = createAuth().use(githubPlugin());
 * const app = new H3().register(auth.plugin);
 */
export function createAuth(config?: ConfigSource): Auth & H3Face {
  return createAuthWith(h3Preset, config);
}

export type { H3Face };
export default createAuth;
