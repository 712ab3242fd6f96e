import { type DevelopmentServer, passClientAddresses } from "../_development-client.ts";
import { readDevelopmentSecret } from "../_development-secret.ts";
import { checkModuleOptions } from "../_module-options.ts";
import {
  describeMissingConfig,
  findConfig,
  getBasePath,
  guardSockets,
  HANDLER,
  knowsVariablesAtStart,
  listConfigFiles,
  type NitroPreset,
  type SocketTarget,
  traceLibraries,
  type TracingTarget,
  writeHandler,
} from "../_nitro-handler.ts";
import {
  addCleanupTask,
  findNitroStore,
  type NitroStoreOptions,
  type NitroStoreTarget,
} from "../_nitro-store.ts";
import {
  excludeRoutes,
  getNitroVersion,
  listAuthRules,
  listPlatformCached,
} from "../_rule-lists.ts";

/** Options of the Nitro module. */
export interface NitroModuleOptions extends NitroStoreOptions {
  /**
   * The file whose default export is the Auth, a configuration, or a function of the event. Default: `auth.ts` or
   * `server/auth.ts`.
   */
  config?: string;
  /** Path below which the routes are mounted. Default: `auth` below the application's `baseURL`. */
  basePath?: string;
}

const OPTIONS: Readonly<Record<keyof NitroModuleOptions, true>> = {
  config: true,
  basePath: true,
  storage: true,
  database: true,
  cleanup: true,
};

/** The parts of a Nitro (2 or 3) that the module uses. */
export interface NitroLike extends NitroStoreTarget {
  /** Only in Nitro 3. */
  readonly routing?: object;
  readonly options: NitroStoreTarget["options"] &
    NitroPreset["options"] &
    DevelopmentServer["options"] &
    SocketTarget["options"] &
    TracingTarget & {
      readonly rootDir: string;
      readonly baseURL: string;
      readonly srcDir?: string;
      readonly serverDir?: string | false;
      readonly routeRules: Record<string, object>;
      readonly runtimeConfig?: {
        readonly nitro?: { readonly envPrefix?: string };
        readonly auth?: object;
      };
      readonly handlers: object[];
    };
}

/** A module for `modules` of Nitro's configuration. */
export interface NitroModule {
  readonly name: string;
  setup(nitro: NitroLike): Promise<void>;
}

/** Creates the module of `keyhook/nitro`. */
export function createNitroModule(given: NitroModuleOptions = {}): NitroModule {
  const { config, basePath, cleanup } = given;
  return {
    name: "keyhook",
    async setup(nitro) {
      checkModuleOptions(given, OPTIONS);
      // Nitro 3.0.0, which the registry tags as latest, is older than the betas and has other entry points.
      if (nitro.routing && !nitro.meta)
        throw new Error(
          "Keyhook does not run on Nitro 3.0.0, which is older than the betas of Nitro 3. Install a beta: " +
            "npm install nitro@3.0.260903-beta.",
        );
      const { options } = nitro;
      const { rootDir, srcDir, serverDir } = options;
      const folders = [rootDir, srcDir, serverDir, `${rootDir}/server`].filter(
        (folder) => typeof folder === "string",
      );
      const file = await findConfig(await listConfigFiles([...new Set(folders)], config));
      if (file === undefined) throw new Error(describeMissingConfig(config));
      const developmentSecret = options.dev ? readDevelopmentSecret(options.rootDir) : undefined;
      const store = findNitroStore(nitro, given);
      const path = basePath ?? getBasePath(options.baseURL);
      const version = getNitroVersion(nitro.meta);
      excludeRoutes(options.routeRules, path, options.baseURL, version);
      options.virtual[HANDLER] = () =>
        writeHandler({
          config: file,
          base: options.baseURL,
          basePath: path,
          rules: listAuthRules(options.routeRules, version),
          platformCached: listPlatformCached(options.routeRules, version),
          developmentSecret,
          developmentFolder: options.dev ? `${rootDir}/.data/keyhook` : undefined,
          store,
          bootsAtStart: knowsVariablesAtStart(nitro),
          envPrefix: options.runtimeConfig?.nitro?.envPrefix ?? "NITRO_",
          runtimeConfig: options.runtimeConfig?.auth,
        });
      addCleanupTask(nitro, cleanup);
      passClientAddresses(nitro);
      guardSockets(nitro);
      await traceLibraries(options);
      // First in the list, because the application's own middleware may read the session.
      options.handlers.unshift({ route: "", middleware: true, handler: HANDLER });
    },
  };
}
