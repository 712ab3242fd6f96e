import {
  createMounts,
  type ExpressMembers,
  type ExpressRequest,
  expressBinding,
  getMountPath,
  exposeAuth,
} from "../plugins/bindings/express.ts";
import type { NodeHandler } from "../plugins/bindings/node.ts";
import { InvalidConfig } from "../src/errors.ts";
import {
  type Auth,
  type AuthConfig,
  type ConfigSource,
  type CreateAuth,
  createAuthWith,
  definePreset,
  type Preset,
  type Session,
} from "../src/kernel.ts";
import { standardPreset } from "./standard.ts";

/** The standard preset with the binding for Express. */
export const expressPreset: Preset<ExpressMembers> = definePreset({
  name: "express",
  extends: [standardPreset],
  plugins: [],
  binding: expressBinding,
});

/**
 * Creates an Auth of the standard preset for Express 4 and 5. Its routes are below `basePath`, wherever its handler is
 * mounted.
 * @example
 * const auth = createAuth().use(githubPlugin());
 * const app = express().use(auth.handler);
 * app.get("/", async (req, res) => res.json(await auth.getSession(req)));
 */
export const createAuth: CreateAuth<Auth & ExpressMembers> = (config?: ConfigSource) =>
  createAuthWith(expressPreset, config);

/** The configuration of `ExpressAuth` and `getSession`. */
export type ExpressAuthConfig = AuthConfig;

// By configuration, because `getSession` has no other way to find the kernel of `ExpressAuth`.
const findMounts = createMounts((config, basePath) =>
  createAuthWith(definePreset({ ...expressPreset, defaults: { basePath } }), config),
);

/**
 * Creates the middleware of a configuration. The mount path is the base path, unless `basePath` or the path of
 * `AUTH_URL` sets another.
 * @throws InvalidConfig without a configuration, or if a request is passed instead.
 * @example app.use("/auth/*", ExpressAuth({ providers: [GitHub] }));
 */
export function ExpressAuth(config: ExpressAuthConfig): NodeHandler {
  const mounts = getMounts("ExpressAuth", config);
  const handler: NodeHandler = (req, res, next) => {
    try {
      mounts.mount(getMountPath(req)).handler(req, res, next);
    } catch (error) {
      if (!next) throw error;
      next(error);
    }
  };
  return exposeAuth(handler, mounts);
}

/**
 * Resolves to the session of a request, or to `null`. It uses the kernel of `ExpressAuth` with the same configuration
 * object. The response to the request carries renewed cookies.
 * @throws InvalidConfig without a configuration.
 * @example res.locals.session = await getSession(req, authConfig);
 */
export async function getSession(
  req: ExpressRequest,
  config: ExpressAuthConfig,
): Promise<Session | null> {
  return getMounts("getSession", config).current.getSession(req);
}

function getMounts(name: string, config: ExpressAuthConfig): ReturnType<typeof findMounts> {
  if (typeof config === "object" && config !== null && !("httpVersion" in config)) {
    return findMounts(config);
  }
  throw new InvalidConfig(
    `${name}() of keyhook/express needs the configuration: the same object for ExpressAuth() and getSession(). Mount what ` +
      "ExpressAuth() returns: app.use(ExpressAuth({ providers: [GitHub] })).",
  );
}

export { AuthError, CredentialsSignin } from "../src/errors.ts";
export { customFetch } from "../src/kernel.ts";
export type { Account, DefaultSession, Profile, Session, User } from "../src/types.ts";
export type { ExpressMembers, ExpressRequest };
export type { NodeHandler, NodeRequest } from "../plugins/bindings/node.ts";
// The types of providers that are plain objects.
export type {} from "./standard.ts";
export default createAuth;
