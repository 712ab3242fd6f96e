import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { loadEnvFile } from "node:process";
import { pathToFileURL } from "node:url";
import { AUTH, type Bootable, PARTS } from "../auth/parts.ts";
import type { Auth } from "../types/auth.ts";
import { provideWorkerModules } from "./worker-modules.ts";

type Module = Readonly<Record<string, unknown>>;

/** Node's errors for TypeScript that jiti can load: unsupported syntax, or imports without file extensions. */
const FOR_JITI = new Set([
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING",
  "ERR_MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

/** Module names that frameworks offer only to their bundlers, and names that a `tsconfig.json` may also define. */
const VIRTUAL = /^(?:\$(?:app|env)\b|[a-z]{2,}:(?!\/\/))/;
const ALIAS = /^(?:[$~]|@\/)/;

/** Signs that a module is for another runtime, and how to run the command there. */
const RUNTIMES: readonly [sign: RegExp, name: string, command: string][] = [
  [/^(?:bun:|Bun is not defined)/, "Bun", "bunx --bun keyhook"],
  [/^(?:jsr:|npm:|Deno is not defined)/, "Deno", "deno run -A npm:keyhook"],
];

function findMissing({ message }: Error): string {
  const [, name = ""] =
    /^(?:Cannot find (?:module|package)|Only URLs.* Received protocol) '([^']+)'/.exec(message) ??
    [];
  return name;
}

async function importWithJiti(file: string, reason: Error): Promise<Module> {
  let jiti: typeof import("jiti");
  try {
    jiti = await import("jiti");
  } catch {
    if (VIRTUAL.test(findMissing(reason))) throw reason;
    const error = new Error(
      `This Node (${process.version}) cannot load ${file}: ${reason.message}\n` +
        "Install jiti, which can: npm install --save-dev jiti",
      { cause: reason },
    );
    // Stacks are only shown for errors of the application.
    delete error.stack;
    throw error;
  }
  // Finds the `tsconfig.json` from the file upwards rather than from this package.
  return jiti.createJiti(pathToFileURL(file).href, { tsconfigPaths: true }).import(file);
}

async function importModule(file: string): Promise<Module> {
  try {
    return (await import(pathToFileURL(file).href)) as Module;
  } catch (error) {
    const { code } = error as { code?: string };
    const isTypeScript = /\.[cm]?tsx?$/.test(file);
    if (isTypeScript && code !== undefined && FOR_JITI.has(code)) {
      return importWithJiti(file, error as Error);
    }
    throw error;
  }
}

function isAuth(value: unknown): value is Auth {
  return typeof (value as Partial<Bootable> | null | undefined)?.[PARTS] === "function";
}

/**
 * The exports in which an Auth is looked up, unless a name is given. Frameworks expect members of an Auth under these
 * names.
 */
const NAMES = ["default", "auth", "handle", "onRequest"];

// The return value of ExpressAuth() is not an Auth but contains one, and so do the members that frameworks expect.
function toAuth(value: unknown): unknown {
  return (value as { [AUTH]?: Auth } | null | undefined)?.[AUTH] ?? value;
}

function findAuth(module: Module, file: string, name: string | undefined): Auth {
  const names = name === undefined ? NAMES : [name];
  for (const key of names) {
    const auth = toAuth(module[key]);
    if (isAuth(auth)) return auth;
  }
  const exported = Object.keys(module).join(", ") || "nothing";
  const quoted = names.map((key) => `"${key}"`);
  const wanted = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(quoted);
  throw new Error(
    `${file} exports no Auth as ${wanted}; it exports ${exported}. Export the whole return value of createAuth(), NextAuth(), ExpressAuth() or ` +
      "SvelteKitAuth(), and name the export with --export.",
  );
}

/** Arguments of commands that load an application's module. */
export const LOAD_ARGS = {
  export: {
    type: "string",
    valueHint: "name",
    description:
      "Name of the exported Auth. Default: the first of default, auth, handle, onRequest.",
  },
  // Named `env`, because Node reads `--env-file` itself, even after the script's name.
  env: {
    type: "string",
    valueHint: "file",
    description: "File of environment variables to read first.",
  },
  url: {
    type: "string",
    valueHint: "url",
    description: "URL of the request for a configuration function. Default: http://localhost:3000.",
  },
} as const;

/**
 * Reads a file of environment variables. Variables that are already set are kept.
 * @throws Error when the file cannot be read.
 */
export function readEnvFile(file: string | undefined): void {
  if (file === undefined) return;
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  loadEnvFile(file);
}

/**
 * Imports a module and returns its Auth.
 * @throws Error when the import fails, or the module exports no Auth.
 */
export async function loadAuth(file: string, name: string | undefined): Promise<Auth> {
  const path = resolve(file);
  if (!existsSync(path)) throw new Error(`There is no file ${file}.`);
  provideWorkerModules();
  let module: Module;
  try {
    module = await importModule(path);
  } catch (error) {
    const { stack, message } = error as Error;
    const missing = findMissing(error as Error);
    const runtime = RUNTIMES.find(([sign]) => sign.test(missing || message));
    if (runtime) {
      const [, runtimeName, command] = runtime;
      throw new Error(
        `${file} could not be loaded. It is for ${runtimeName}: run this with \`${command}\`.`,
        { cause: error },
      );
    }
    if (VIRTUAL.test(missing) || ALIAS.test(missing)) {
      throw new Error(
        `${file} could not be loaded. It imports "${missing}", which only its runtime or bundler can find. Neither this file nor ` +
          "its imports may import such modules; Keyhook reads variables itself.",
        { cause: error },
      );
    }
    throw new Error(`${file} could not be loaded. ${stack ?? message}`, { cause: error });
  }
  return findAuth(module, file, name);
}
