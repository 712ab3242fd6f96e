import { readDevelopmentSecret } from "./development-secret.ts";
import { type AuthRules, createRuleMatcher } from "./route-rules.ts";

/** Options of the Nitro module. */
export interface NitroModuleOptions {
  /**
   * The file whose default export is the Auth, a configuration, or a function of the event. Default: `auth.ts` or
   * `server/auth.ts`.
   */
  config?: string;
  /** Path below which the routes are mounted. Default: `auth` below the application's `baseURL`. */
  basePath?: string;
}

/** The parts of a Nitro (2 or 3) that the module uses. */
export interface NitroLike {
  readonly options: {
    readonly rootDir: string;
    readonly dev: boolean;
    readonly baseURL: string;
    readonly srcDir?: string;
    readonly serverDir?: string | false;
    readonly routeRules: Record<string, object>;
    readonly virtual: Record<string, unknown>;
    readonly handlers: object[];
  };
}

/** A module for `modules` of Nitro's configuration. */
export interface NitroModule {
  readonly name: string;
  setup(nitro: NitroLike): Promise<void>;
}

const EXTENSIONS = ["ts", "mts", "js", "mjs"];
const HANDLER = "#keyhook/handler";

async function findConfig(
  { rootDir, srcDir, serverDir }: NitroLike["options"],
  config: string | undefined,
): Promise<string> {
  const { existsSync } = await import("node:fs");
  const { resolve } = await import("node:path");
  const folders = [...new Set([rootDir, srcDir, serverDir, `${rootDir}/server`])];
  const files = config
    ? [resolve(rootDir, config)]
    : folders
        .filter((folder) => typeof folder === "string")
        .flatMap((folder) => EXTENSIONS.map((extension) => resolve(folder, `auth.${extension}`)));
  const found = files.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    `keyhook/nitro found no configuration: create ${config ?? "server/auth.ts"}, with \`export default createAuth()\`.`,
  );
}

// What makes a response one that other visitors receive, also from caches in front of the server.
const SHARED = ["cache", "swr", "isr", "static", "prerender"];

const isShared = (rule: object): boolean =>
  SHARED.some((name) => Boolean((rule as Record<string, unknown>)[name]));

/**
 * Lists the `auth` of route rules.
 * @throws Error when a path that requires a session has a cached or prerendered response.
 */
export function listAuthRules(routeRules: Record<string, object>): AuthRules {
  const rules: Record<string, boolean> = {};
  for (const [pattern, rule] of Object.entries(routeRules)) {
    const { auth } = rule as { auth?: unknown };
    if (typeof auth === "boolean") rules[pattern] = auth;
    else if (auth !== undefined) {
      throw new TypeError(`\`routeRules["${pattern}"].auth\` must be true or false.`);
    }
  }
  const isRequired = createRuleMatcher(rules);
  const shared: Record<string, boolean> = {};
  for (const [pattern, rule] of Object.entries(routeRules)) {
    // Nitro merges the rules of a path: one that does not say is as the rule above it.
    if (SHARED.some((name) => name in rule)) shared[pattern] = isShared(rule);
  }
  const guarded = Object.keys(rules).filter((pattern) => rules[pattern]);
  const found =
    Object.keys(shared).find((pattern) => shared[pattern] && isRequired(pattern)) ??
    guarded.find((pattern) => createRuleMatcher(shared)(pattern));
  if (found === undefined) return rules;
  throw new Error(
    `routeRules: "${found}" requires a session (\`auth\`), and its response is cached or prerendered for all visitors. ` +
      "Remove `swr`, `isr`, `cache` or `prerender` there, or `auth`.",
  );
}

/** What the generated handler is made from. */
export interface HandlerFile {
  readonly config: string;
  readonly base: string;
  readonly basePath: string;
  readonly rules: AuthRules;
  readonly developmentSecret?: string | undefined;
}

/** Writes the module that connects the application's configuration to the middleware. */
export function writeHandler({ config, ...options }: HandlerFile): string {
  const { developmentSecret } = options;
  const given = { ...options, ...(developmentSecret && { development: true }) };
  return [
    `import { createNitroHandler } from "keyhook/nitro";`,
    `import auth from ${JSON.stringify(config)};`,
    `export default createNitroHandler(auth, ${JSON.stringify(given)});`,
  ].join("\n");
}

/** Returns the default base path of an application. */
export function getBasePath(base: string): string {
  return `${base.replace(/\/$/, "")}/auth`;
}

/** Creates the module of `keyhook/nitro`. */
export function createNitroModule({ config, basePath }: NitroModuleOptions = {}): NitroModule {
  return {
    name: "keyhook",
    async setup({ options }) {
      const file = await findConfig(options, config);
      const developmentSecret = options.dev
        ? await readDevelopmentSecret(options.rootDir)
        : undefined;
      options.virtual[HANDLER] = () =>
        writeHandler({
          config: file,
          base: options.baseURL,
          basePath: basePath ?? getBasePath(options.baseURL),
          rules: listAuthRules(options.routeRules),
          developmentSecret,
        });
      // First: the application's own middleware may read the session.
      options.handlers.unshift({ route: "", middleware: true, handler: HANDLER });
    },
  };
}
