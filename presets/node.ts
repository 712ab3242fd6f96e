import { type NodeMembers, nodeBinding } from "../plugins/bindings/node.ts";
import {
  type Auth,
  type ConfigSource,
  type CreateAuth,
  createAuthWith,
  definePreset,
  type Preset,
} from "../src/kernel.ts";
import { standardPreset } from "./standard.ts";

/** The standard preset with the binding for Node's HTTP server. */
export const nodePreset: Preset<NodeMembers> = definePreset({
  name: "node",
  extends: [standardPreset],
  plugins: [],
  binding: nodeBinding,
});

/**
 * Creates an Auth of the standard preset for `node:http`, connect and Express.
 * @example
 * const auth = createAuth().use(githubPlugin());
 * express().use(auth.handler);
 */
export const createAuth: CreateAuth<Auth & NodeMembers> = (config?: ConfigSource) =>
  createAuthWith(nodePreset, config);

export { nodeBinding };
export type { NodeMembers, NodeHandler, NodeRequest } from "../plugins/bindings/node.ts";
// The types of providers that are plain objects.
export type {} from "./standard.ts";
export default createAuth;
