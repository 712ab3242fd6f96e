import { existsSync } from "node:fs";
import credentialsPlugin from "../../../plugins/providers/credentials.ts";
import githubPlugin from "../../../plugins/providers/github.ts";
import passkeyPlugin from "../../../plugins/providers/passkey.ts";
import { createAuth } from "../../../presets/index.ts";
import { CredentialsSignin } from "../../../src/errors.ts";
import { decode, encode, getToken } from "../../../src/jwt.ts";

type Config = Record<string, unknown>;
type Params = Record<string, unknown>;
type Make = (options: Config) => unknown;

/** What an application imports from a library, by the same names. */
export interface Kind {
  name: "authjs" | "keyhook";
  github: Make;
  credentials: Make;
  passkey: Make;
  CredentialsSignin: new () => Error;
  decode: (params: Params) => Promise<unknown>;
  encode: (params: Params) => Promise<string>;
  getToken: (params: Params) => Promise<unknown>;
  create(config: Config): (request: Request) => Promise<Response>;
}

/** Where the packages of Auth.js are after `npm run test:published`. */
export const packages: URL = new URL("../published/node_modules/", import.meta.url);

/** `@auth/core`. */
export const room: URL = new URL("@auth/core/", packages);

/**
 * A separate copy of `@auth/core`: once one application has passkeys, Auth.js requires a passkey adapter of every
 * application in the process.
 */
export const passkeyRoom: URL = new URL("authjs-passkeys/", packages);

/** Whether Auth.js is installed. */
export const isInstalled: boolean = existsSync(room);

const keyhook = {
  name: "keyhook",
  github: githubPlugin,
  credentials: credentialsPlugin,
  passkey: passkeyPlugin,
  CredentialsSignin,
  decode,
  encode,
  getToken,
  // The development store would leave files behind.
  create: (config: Config) =>
    createAuth({ ...config, env: { NODE_ENV: "test" } }).use({
      name: "stores/development",
      setup() {},
    }).fetch,
} as unknown as Kind;

async function loadAuthjs(from: URL): Promise<Kind> {
  const load = (path: string) => import(new URL(path, from).href);
  const { Auth } = await load("index.js");
  const { CredentialsSignin: Refusal } = await load("errors.js");
  return {
    name: "authjs",
    github: (await load("providers/github.js")).default,
    credentials: (await load("providers/credentials.js")).default,
    passkey: (await load("providers/passkey.js")).default,
    CredentialsSignin: Refusal,
    ...(await load("jwt.js")),
    create: (config) => (request) => Auth(request, config),
  };
}

/** Loads both libraries. */
export async function loadLibraries(from: URL = room): Promise<{ authjs: Kind; keyhook: Kind }> {
  return { authjs: await loadAuthjs(from), keyhook };
}
