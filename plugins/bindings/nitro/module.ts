import { readDevelopmentSecret } from "../_development-secret.ts";
import { findConfig, getBasePath, HANDLER, writeHandler } from "../_nitro-handler.ts";
import { listAuthRules } from "../_route-rules.ts";

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
    readonly runtimeConfig?: {
      readonly nitro?: { readonly envPrefix?: string };
      readonly auth?: object;
    };
    readonly virtual: Record<string, unknown>;
    readonly handlers: object[];
  };
}

/** A module for `modules` of Nitro's configuration. */
export interface NitroModule {
  readonly name: string;
  setup(nitro: NitroLike): Promise<void>;
}

/** Creates the module of `keyhook/nitro`. */
export function createNitroModule({ config, basePath }: NitroModuleOptions = {}): NitroModule {
  return {
    name: "keyhook",
    async setup({ options }) {
      const { rootDir, srcDir, serverDir } = options;
      const folders = [rootDir, srcDir, serverDir, `${rootDir}/server`].filter(
        (folder) => typeof folder === "string",
      );
      const file = await findConfig([...new Set(folders)], config);
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
          envPrefix: options.runtimeConfig?.nitro?.envPrefix ?? "NITRO_",
          runtimeConfig: options.runtimeConfig?.auth,
        });
      // First: the application's own middleware may read the session.
      options.handlers.unshift({ route: "", middleware: true, handler: HANDLER });
    },
  };
}
