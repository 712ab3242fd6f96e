import { type DevelopmentServer, passClientAddresses } from "./_development-client.ts";
import { readDevelopmentSecret } from "./_development-secret.ts";
import { checkModuleOptions } from "./_module-options.ts";
import {
  describeMissingConfig,
  findConfig,
  getBasePath,
  guardSockets,
  HANDLER,
  knowsVariablesAtStart,
  listConfigFiles,
  type NitroPreset,
  type NitroStore,
  type SocketTarget,
  traceLibraries,
  type TracingTarget,
  writeHandler,
} from "./_nitro-handler.ts";
import {
  addCleanupTask,
  findNitroStore,
  type NitroStoreOptions,
  type NitroStoreTarget,
} from "./_nitro-store.ts";
import type { PathRules } from "./_route-rules.ts";
import {
  excludeRoutes,
  listAuthRules,
  listPlatformCached,
  type NitroVersion,
  type RouteRules,
} from "./_rule-lists.ts";
import { createDevToolsTab, type DevToolsTab } from "./nuxt/devtools.ts";

/** Options of the Nuxt module: `auth` of `nuxt.config.ts`. */
export interface NuxtModuleOptions extends NitroStoreOptions {
  /**
   * The file whose default export is the Auth, a configuration, or a function of the event. Default: `server/auth.ts`,
   * of the application or of a layer.
   */
  config?: string;
  /** Path below which the routes are mounted. Default: `auth` below the application's `baseURL`. */
  basePath?: string;
  /** Where pages with `definePageMeta({ auth: "guest" })` redirect signed-in users. Default `/`. */
  guestRedirect?: string;
  /** Seconds between two reads of the session while a page shows it. Default 0: no periodic reads. */
  refetchInterval?: number;
  /** Whether the session is read when the page receives focus, at most every 5 seconds. Default `true`. */
  refetchOnWindowFocus?: boolean;
}

const OPTIONS: Readonly<Record<keyof NuxtModuleOptions, true>> = {
  config: true,
  basePath: true,
  guestRedirect: true,
  refetchInterval: true,
  refetchOnWindowFocus: true,
  storage: true,
  database: true,
  cleanup: true,
};

type NuxtNitro = NitroStoreTarget &
  NitroPreset &
  DevelopmentServer & {
    readonly options: TracingTarget &
      SocketTarget["options"] & {
        readonly routeRules: RouteRules;
        /** Whether the build has no server, as with `nuxt generate`. */
        readonly static?: boolean;
      };
  };

/** The parts of Nuxt (4 or 5) that the module uses. */
export interface NuxtLike {
  readonly _version?: string;
  readonly options: {
    readonly auth?: NuxtModuleOptions;
    readonly rootDir: string;
    readonly dev: boolean;
    /** Whether only types are generated. */
    readonly _prepare?: boolean;
    /** The files whose changes restart the development server. */
    readonly watch: unknown[];
    readonly serverDir?: string;
    readonly app: { readonly baseURL: string; readonly buildAssetsDir: string };
    readonly build: { readonly transpile: unknown[] };
    readonly routeRules?: RouteRules;
    readonly runtimeConfig?: {
      readonly nitro?: { readonly envPrefix?: string };
      readonly auth?: object;
    };
    readonly nitro: { readonly routeRules?: RouteRules };
    readonly _layers: readonly {
      readonly config: { readonly rootDir: string; serverDir?: string };
    }[];
  };
  hook(name: "build:before", run: () => void): unknown;
  hook(name: "nitro:init", run: (nitro: NuxtNitro) => Promise<void>): unknown;
  /** Called by Nuxt DevTools. */
  hook(name: "devtools:customTabs", run: (tabs: DevToolsTab[]) => void): unknown;
}

/** What the application's components may use, by file. */
const COMPOSABLES = {
  useAuth: "composables",
  useSession: "composables",
  useUserSession: "composables",
  useSignIn: "sign-in",
};
const COMPONENTS = {
  AuthState: "auth-state",
  SignInButton: "sign-in-button",
  SignInForm: "sign-in-form",
  SignOutButton: "sign-in-button",
};
const SERVER_FUNCTIONS = ["getAuthSession", "requireAuthSession"];

/** Types that the module adds to the interfaces of Nuxt, Nitro and the router. */
const TYPES = `import type { EventAuth } from "keyhook/nitro";

interface AuthPageMeta {
  /** Whether the page requires a session; "guest" is for visitors without one. */
  auth?: boolean | "guest";
}
interface AuthRouteRule {
  /** Whether these paths require a session: pages redirect to the sign-in page, other requests get 401. */
  auth?: boolean;
}
interface AuthEventContext {
  auth: EventAuth;
}

declare module "#app" {
  interface PageMeta extends AuthPageMeta {}
}
declare module "vue-router" {
  interface RouteMeta extends AuthPageMeta {}
}
declare module "nitropack" {
  interface NitroRouteConfig extends AuthRouteRule {}
}
declare module "nitropack/types" {
  interface NitroRouteConfig extends AuthRouteRule {}
}
declare module "h3/rules" {
  interface RouteRuleConfig extends AuthRouteRule {}
}
declare module "h3" {
  interface H3EventContext extends AuthEventContext {}
}
declare module "nitro/h3" {
  interface H3EventContext extends AuthEventContext {}
}

export {};
`;

const mergeRules = ({ options }: NuxtLike, routeRules?: RouteRules): RouteRules => ({
  ...options.nitro.routeRules,
  ...options.routeRules,
  ...routeRules,
});

// Nuxt 5 is the first on Nitro 3.
const getNitroVersion = ({ _version = "4" }: NuxtLike): NitroVersion =>
  Number.parseInt(_version, 10) >= 5 ? 3 : 2;

function listServerRules(nuxt: NuxtLike, routeRules: RouteRules): PathRules {
  return {
    // Needed by the error page, and by the application's sign-in page.
    "/__nuxt_error": false,
    [`${nuxt.options.app.buildAssetsDir}**`]: false,
    ...listAuthRules(routeRules, getNitroVersion(nuxt)),
  };
}

/** Writes the module's options for the application's pages. */
function writePageOptions(nuxt: NuxtLike, options: object): string {
  const rules = listAuthRules(mergeRules(nuxt), getNitroVersion(nuxt));
  // Without any rule, the code that compares paths is left out of the build.
  const hasRules = Object.values(rules).includes(true);
  return Object.entries({ ...options, rules, hasRules })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join("");
}

/** Returns the folders in which to look for the configuration: those of the application, then those of each layer. */
export function listConfigFolders({ options }: Pick<NuxtLike, "options">): string[] {
  // Nuxt lists the application among the layers too, so duplicates are removed.
  const layers = [options, ...options._layers.map(({ config }) => config)];
  const folders = layers.flatMap(({ rootDir, serverDir }) => [
    serverDir,
    `${rootDir}/server`,
    rootDir,
  ]);
  return [...new Set(folders)].filter((folder) => typeof folder === "string");
}

/**
 * Resolves to the configuration file, or to the error that the development server shows until the file exists.
 * @throws Error in a build without a configuration.
 */
export async function requireConfig(
  nuxt: Pick<NuxtLike, "options">,
  named: string | undefined,
): Promise<string | Error> {
  const files = await listConfigFiles(listConfigFolders(nuxt), named);
  const found = await findConfig(files);
  const { dev, _prepare, watch } = nuxt.options;
  if (found !== undefined) {
    // If a layer has the file, the application may add its own.
    if (dev) watch.push(...files.slice(0, files.indexOf(found)));
    return found;
  }
  const missing = new Error(describeMissingConfig(named));
  // The module may be installed before the file is written.
  if (!dev && !_prepare) throw missing;
  watch.push(...files);
  return missing;
}

/** Returns the warning of a build without a server. */
export function describeStatic(basePath: string): string {
  return (
    `This build has no server: pages request the session at ${basePath}, which a static host does not serve, and users cannot sign in. ` +
    `Build with \`nuxt build\`, or run a server for ${basePath} at the same origin.`
  );
}

/** The built files of the package that an application imports. */
export interface NuxtFiles {
  /** The folder of the files that run in the application. */
  readonly runtime: string;
  /** The entry point of its server. */
  readonly server: string;
}

/** Adds Keyhook to an application. */
export async function setUpNuxt(
  options: NuxtModuleOptions,
  nuxt: NuxtLike,
  { runtime, server }: NuxtFiles,
): Promise<void> {
  checkModuleOptions(options, OPTIONS);
  const kit = await import("nuxt/kit");
  const { dev, rootDir, app } = nuxt.options;
  const basePath = options.basePath ?? getBasePath(app.baseURL);
  const version = getNitroVersion(nuxt);
  const config = await requireConfig(nuxt, options.config);
  const developmentSecret = dev ? readDevelopmentSecret(rootDir) : undefined;

  let nitroRules: (() => RouteRules) | undefined;
  let store: NitroStore | undefined;
  let bootsAtStart = false;
  nuxt.hook("nitro:init", async (nitro) => {
    bootsAtStart = knowsVariablesAtStart(nitro);
    if (nitro.options.static && !dev) kit.useLogger("keyhook").warn(describeStatic(basePath));
    nitroRules = () => nitro.options.routeRules;
    excludeRoutes(nitro.options.routeRules, basePath, app.baseURL, version);
    store = findNitroStore(nitro, options);
    addCleanupTask(nitro, options.cleanup);
    passClientAddresses(nitro);
    guardSockets(nitro);
    await traceLibraries(nitro.options);
  });
  kit.addServerTemplate({
    filename: HANDLER,
    getContents: () => {
      const routeRules = mergeRules(nuxt, nitroRules?.());
      return writeHandler({
        config,
        base: app.baseURL,
        basePath,
        rules: listServerRules(nuxt, routeRules),
        platformCached: listPlatformCached(routeRules, version),
        developmentSecret,
        developmentFolder: dev ? `${rootDir}/.data/keyhook` : undefined,
        store,
        rendersPages: true,
        bootsAtStart,
        envPrefix: nuxt.options.runtimeConfig?.nitro?.envPrefix ?? "NUXT_",
        runtimeConfig: nuxt.options.runtimeConfig?.auth,
      });
    },
  });
  // Nitro 3 requires a route. Nitro 2 would use it as a prefix.
  kit.addServerHandler({
    middleware: true,
    handler: HANDLER,
    ...(version === 3 && { route: "/**" }),
  });
  // The path of a file, so that its types are found. Nuxt would read the name of an entry point as a path.
  kit.addServerImports(SERVER_FUNCTIONS.map((name) => ({ name, from: server })));

  if (dev) {
    nuxt.hook("devtools:customTabs", (tabs) => void tabs.push(createDevToolsTab(basePath)));
  }

  nuxt.options.build.transpile.push(runtime);
  const { guestRedirect = "/", refetchInterval = 0, refetchOnWindowFocus = true } = options;
  const watching = { refetchInterval, refetchOnWindowFocus };
  const writeOptions = () =>
    writePageOptions(nuxt, { base: app.baseURL, basePath, guestRedirect, watching });
  kit.addTemplate({ filename: "keyhook.mjs", getContents: writeOptions });
  // Nuxt ignores a template that cannot be written, and the build would end without the reason.
  if (!dev && !nuxt.options._prepare) nuxt.hook("build:before", () => void writeOptions());
  kit.addPlugin(`${runtime}/plugin.js`);
  kit.addRouteMiddleware({ name: "keyhook", path: `${runtime}/middleware.js`, global: true });
  for (const [name, file] of Object.entries(COMPOSABLES)) {
    kit.addImports([{ name, from: `${runtime}/${file}.js` }]);
  }
  for (const [name, file] of Object.entries(COMPONENTS)) {
    const exported = name[0]?.toLowerCase() + name.slice(1);
    kit.addComponent({ name, export: exported, filePath: `${runtime}/${file}.js` });
  }
  kit.addTypeTemplate(
    { filename: "types/keyhook.d.ts", getContents: () => TYPES },
    { nuxt: true, nitro: true, node: true },
  );
}
