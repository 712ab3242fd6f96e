import type { AuthRules } from "./_route-rules.ts";

const EXTENSIONS = ["ts", "mts", "js", "mjs"];
/** The name of the generated module that is the middleware. */
export const HANDLER = "#keyhook/handler";

/**
 * Resolves to the file of the application's configuration: the named one, or `auth.ts` in the first of the folders.
 * @throws Error when there is none.
 */
export async function findConfig(
  folders: readonly string[],
  config: string | undefined,
): Promise<string> {
  const { existsSync } = await import("node:fs");
  const { resolve } = await import("node:path");
  const files = config
    ? folders.map((folder) => resolve(folder, config))
    : folders.flatMap((folder) =>
        EXTENSIONS.map((extension) => resolve(folder, `auth.${extension}`)),
      );
  const found = files.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    `Keyhook found no configuration: create ${config ?? "server/auth.ts"}, with \`export default createAuth()\`.`,
  );
}

/** What the handler imports for a store, and the expression that makes it. */
export interface NitroStore {
  readonly imports: readonly string[];
  readonly expression: string;
}

/** What the generated handler is made from. */
export interface HandlerFile {
  readonly config: string;
  readonly base: string;
  readonly basePath: string;
  readonly rules: AuthRules;
  /** The paths with `isr`. */
  readonly platformCached: AuthRules;
  readonly developmentSecret?: string | undefined;
  readonly developmentFolder?: string | undefined;
  /** The store that the module's options name. */
  readonly store?: NitroStore | undefined;
  /** Whether the application renders pages, which contain what they fetch from it. */
  readonly rendersPages?: boolean;
  readonly envPrefix: string;
  readonly runtimeConfig: object | undefined;
}

/** Writes the module that connects the application's configuration to the middleware. */
export function writeHandler({ config, store, ...options }: HandlerFile): string {
  const isDevelopment = options.developmentSecret !== undefined;
  const given = { ...options, ...(isDevelopment && { development: true }) };
  return [
    `import { createNitroHandler } from "keyhook/nitro";`,
    ...(store?.imports ?? []),
    `import auth from ${JSON.stringify(config)};`,
    // The page that the tab of Nuxt DevTools shows. No build contains it.
    ...(isDevelopment ? [`import { inspector } from "keyhook/observability/inspector";`] : []),
    `const plugins = [${isDevelopment ? "inspector()" : ""}];`,
    `const options = ${JSON.stringify(given)};`,
    // A build renders pages for all visitors, and has no secret.
    "const skip = Object.assign(() => undefined, { __is_handler__: true });",
    `const create = () => createNitroHandler(auth, { ...options, plugins${store ? `, store: ${store.expression}` : ""} });`,
    "export default import.meta.prerender ? skip : create();",
  ].join("\n");
}

/** Returns the default base path of an application. */
export function getBasePath(base: string): string {
  return `${base.replace(/\/$/, "")}/auth`;
}

/** The parts of Nitro's options that decide which packages a build contains as they are. */
export interface TracingTarget {
  /** Nitro 3 alone. */
  readonly traceDeps?: unknown[];
}

/**
 * Keeps the library of passkeys out of the bundle of Nitro 3, which runs its modules in another order than they are imported:
 * one of them needs a polyfill first.
 */
export function traceLibraries({ traceDeps }: TracingTarget): void {
  traceDeps?.push("@simplewebauthn/server");
}
