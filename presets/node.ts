import { type NodeFace, nodeBinding } from "../plugins/bindings/node.ts";
import { type Auth, type ConfigSource, createAuthWith, definePreset } from "../src/index.ts";
import { standardPreset } from "./standard.ts";

/** The standard preset with the face for Node servers. */
export const nodePreset = definePreset({
  name: "node",
  extends: [standardPreset],
  binding: nodeBinding,
});

/**
 * Makes an Auth for `node:http`, connect and express.
 * @example
 * const auth = createAuth().use(githubPlugin());
 * express().use(auth.handler);
 */
export function createAuth(config?: ConfigSource): Auth & NodeFace {
  return createAuthWith(nodePreset, config);
}

export type { NodeFace, NodeHandler, NodeRequest } from "../plugins/bindings/node.ts";
export default createAuth;
