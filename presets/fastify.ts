import { type FastifyMembers, fastifyBinding } from "../plugins/bindings/fastify.ts";
import {
  type Auth,
  type ConfigSource,
  type CreateAuth,
  createAuthWith,
  definePreset,
  type Preset,
} from "../src/kernel.ts";
import { standardPreset } from "./standard.ts";

/** The standard preset with the binding for Fastify. */
export const fastifyPreset: Preset<FastifyMembers> = definePreset({
  name: "fastify",
  extends: [standardPreset],
  plugins: [],
  binding: fastifyBinding,
});

/**
 * Creates an Auth of the standard preset for Fastify 5.
 * @example
 * const auth = createAuth().use(githubPlugin());
 * const app = Fastify().register(auth.plugin);
 * app.get("/", async (request) => request.getSession());
 */
export const createAuth: CreateAuth<Auth & FastifyMembers> = (config?: ConfigSource) =>
  createAuthWith(fastifyPreset, config);

export type { FastifyAuthOptions, FastifyMembers } from "../plugins/bindings/fastify.ts";
// The types of providers that are plain objects.
export type {} from "./standard.ts";
export default createAuth;
