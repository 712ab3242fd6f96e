import { existsSync } from "node:fs";
import credentialsPlugin from "../../../plugins/providers/credentials.ts";
import githubPlugin from "../../../plugins/providers/github.ts";
import { createAuth } from "../../../presets/index.ts";
import { CredentialsSignin } from "../../../src/errors.ts";
import { decode, encode, getToken } from "../../../src/jwt.ts";

type Config = Record<string, unknown>;
type Params = Record<string, unknown>;
type Make = (options: Config) => unknown;

/** What an application imports of a library, under the same names. */
export interface Kind {
  name: "authjs" | "keyhook";
  github: Make;
  credentials: Make;
  CredentialsSignin: new () => Error;
  decode: (params: Params) => Promise<unknown>;
  encode: (params: Params) => Promise<string>;
  getToken: (params: Params) => Promise<unknown>;
  create(config: Config): (request: Request) => Promise<Response>;
}

// Auth.js is installed with the published adapters, by `npm run test:published`.
/** Where Auth.js is, if it is installed. */
export const room: URL = new URL(
  "../../adapters/published/node_modules/@auth/core/",
  import.meta.url,
);

/** Whether Auth.js is installed. */
export const isInstalled: boolean = existsSync(room);

const keyhook = {
  name: "keyhook",
  github: githubPlugin,
  credentials: credentialsPlugin,
  CredentialsSignin,
  decode,
  encode,
  getToken,
  // The store of development would leave files behind.
  create: (config: Config) =>
    createAuth({ ...config, env: { NODE_ENV: "test" } }).use({
      name: "stores/development",
      setup() {},
    }).fetch,
} as unknown as Kind;

async function loadAuthjs(): Promise<Kind> {
  const load = (path: string) => import(new URL(path, room).href);
  const { Auth } = await load("index.js");
  const { CredentialsSignin: Refusal } = await load("errors.js");
  return {
    name: "authjs",
    github: (await load("providers/github.js")).default,
    credentials: (await load("providers/credentials.js")).default,
    CredentialsSignin: Refusal,
    ...(await load("jwt.js")),
    create: (config) => (request) => Auth(request, config),
  };
}

/** Loads both libraries. */
export async function loadLibraries(): Promise<{ authjs: Kind; keyhook: Kind }> {
  return { authjs: await loadAuthjs(), keyhook };
}
