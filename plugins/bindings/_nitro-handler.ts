import type { PathRules } from "./_route-rules.ts";

const EXTENSIONS = ["ts", "mts", "js", "mjs"];
/** The name of the generated module with the middleware. */
export const HANDLER = "#keyhook/handler";

/** Returns the candidates for the configuration file: the named file, or `auth.ts`, in each of the folders. */
export async function listConfigFiles(
  folders: readonly string[],
  config: string | undefined,
): Promise<string[]> {
  const { resolve } = await import("node:path");
  const names = config ? [config] : EXTENSIONS.map((extension) => `auth.${extension}`);
  return folders.flatMap((folder) => names.map((name) => resolve(folder, name)));
}

/** Resolves to the first configuration file that exists. */
export async function findConfig(files: readonly string[]): Promise<string | undefined> {
  const { existsSync } = await import("node:fs");
  return files.find((file) => existsSync(file));
}

const EXAMPLE =
  '`import { createAuth } from "keyhook/nitro"; export default createAuth();`, and providers by `use`';

/** Returns the error message for an application without a configuration. */
export function describeMissingConfig(config = "server/auth.ts"): string {
  return `Keyhook found no configuration: create ${config}, with ${EXAMPLE}.`;
}

const describeNoDefault = (file: string) =>
  `Keyhook found no configuration in ${file}, which has no default export: write ${EXAMPLE}.`;

/** The handler's import for a store, and the expression that creates it. */
export interface NitroStore {
  readonly imports: readonly string[];
  readonly expression: string;
}

/** The inputs of the generated handler. */
export interface HandlerFile {
  /** The application's file, or the error if there is none. */
  readonly config: string | Error;
  readonly base: string;
  readonly basePath: string;
  readonly rules: PathRules;
  readonly platformCached: PathRules;
  readonly developmentSecret?: string | undefined;
  readonly developmentFolder?: string | undefined;
  /** The store that the module's options name. */
  readonly store?: NitroStore | undefined;
  /** Whether the application renders pages, which contain what they fetch from the application. */
  readonly rendersPages?: boolean;
  readonly bootsAtStart?: boolean;
  readonly envPrefix: string;
  readonly runtimeConfig: object | undefined;
}

/**
 * Returns whether a build of Nitro knows its variables when it starts, as on a server. A worker gets them with each
 * request, and so does a development server that emulates one. A function that starts for each request gains nothing
 * from it.
 */
export function knowsVariablesAtStart({ options }: NitroPreset): boolean {
  return !options.dev && /^(node|bun|deno)/.test(options.preset ?? "");
}

/** The part of a Nitro that names its build target. */
export interface NitroPreset {
  readonly options: { readonly dev: boolean; readonly preset?: string };
}

/** The parts of a Nitro (2 or 3) that decide which WebSockets are opened. */
export interface SocketTarget {
  readonly meta?: { readonly majorVersion: number };
  readonly options: {
    readonly experimental: { readonly websocket?: boolean };
    readonly virtual: Record<string, unknown>;
    readonly plugins: string[];
  };
}

/** The name of the generated Nitro plugin. */
const SOCKETS = "#keyhook/sockets";

/** Enforces the route rules for WebSockets too. Nitro 2 does not call middleware for them; Nitro 3 does. */
export function guardSockets({ meta, options }: SocketTarget): void {
  if (!options.experimental.websocket || (meta?.majorVersion ?? 2) !== 2) return;
  options.virtual[SOCKETS] = () =>
    [
      `import handler from "${HANDLER}";`,
      "export default ({ h3App }) => handler.guardSockets(h3App);",
    ].join("\n");
  options.plugins.push(SOCKETS);
}

/** Writes the handler's input. In development, each response reports a missing configuration. */
function writeConfig(config: string | Error, isDevelopment: boolean): string[] {
  const isFound = typeof config === "string";
  if (isFound && !isDevelopment) return [`import auth from ${JSON.stringify(config)};`];
  const fault = isFound ? describeNoDefault(config) : config.message;
  return [
    `import { createAuth } from "keyhook/nitro";`,
    // Imports the whole module, because a bundler refuses to import a missing default export.
    ...(isFound ? [`import * as given from ${JSON.stringify(config)};`] : []),
    `const setup = () => { throw new Error(${JSON.stringify(fault)}); };`,
    `const auth = ${isFound ? "given.default ?? " : ""}createAuth().use({ name: "configuration", setup });`,
  ];
}

/** Writes the module that connects the application's configuration to the middleware. */
export function writeHandler({ config, store, ...options }: HandlerFile): string {
  const isDevelopment = options.developmentSecret !== undefined;
  const given = { ...options, ...(isDevelopment && { development: true }) };
  return [
    `import { createNitroHandler } from "keyhook/nitro";`,
    ...(store?.imports ?? []),
    ...writeConfig(config, isDevelopment),
    // The page for the tab of Nuxt DevTools. No build contains it.
    ...(isDevelopment ? [`import { inspector } from "keyhook/observability/inspector";`] : []),
    `const plugins = [${isDevelopment ? "inspector()" : ""}];`,
    `const options = ${JSON.stringify(given)};`,
    `const create = () => createNitroHandler(auth, { ...options, plugins${store ? `, store: ${store.expression}` : ""} });`,
    // A build renders pages for all visitors, and has no secret.
    "export default import.meta.prerender ? createNitroHandler(auth, { prerender: true }) : create();",
  ].join("\n");
}

/** Returns the default base path of an application. */
export function getBasePath(base: string): string {
  return `${base.replace(/\/$/, "")}/auth`;
}

/** The parts of Nitro's options that decide which packages a build contains unbundled. */
export interface TracingTarget {
  /** Only in Nitro 3. */
  readonly traceDeps?: unknown[];
}

const PASSKEY_LIBRARY = "@simplewebauthn/server";

/**
 * Keeps the library for passkeys, if it is installed, out of the bundle of Nitro 3. The bundle runs modules in another
 * order than they are imported, but one of them needs a polyfill first.
 */
export async function traceLibraries(
  { traceDeps }: TracingTarget,
  from: string = import.meta.url,
): Promise<void> {
  if (!traceDeps) return;
  const { createRequire } = await import("node:module");
  try {
    createRequire(from).resolve(PASSKEY_LIBRARY);
  } catch (error) {
    // Nitro would warn about a package that the application does not use.
    if ((error as { code?: unknown }).code === "MODULE_NOT_FOUND") return;
  }
  traceDeps.push(PASSKEY_LIBRARY);
}
