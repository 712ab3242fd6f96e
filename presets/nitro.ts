import { homePlugin } from "../plugins/bindings/_home.ts";
import { mountPlugin } from "../plugins/bindings/_mount.ts";
import type { H3Members } from "../plugins/bindings/h3.ts";
import {
  createNitroMiddleware,
  createNitroModule,
  nitroBinding,
  type NitroAuthSource,
  type NitroHandler,
  type NitroHandlerOptions,
  type NitroModule,
  type NitroModuleOptions,
} from "../plugins/bindings/nitro.ts";
import { developmentStore } from "../plugins/stores/_development.ts";
import { type Auth, createAuthWith, definePreset, type Preset } from "../src/kernel.ts";
import { createAuth } from "./h3.ts";
import { standardPreset } from "./standard.ts";

declare module "nitropack/types" {
  interface NitroRouteConfig {
    /** Whether these paths require a session: pages redirect to the sign-in page, other requests get 401. */
    auth?: boolean;
  }
}

declare module "h3/rules" {
  interface RouteRuleConfig {
    /** Whether these paths require a session: pages redirect to the sign-in page, other requests get 401. */
    auth?: boolean;
  }
}

const isAuth = (given: NitroAuthSource): given is Auth =>
  typeof given === "object" && "handle" in given && typeof given.handle === "function";

/**
 * Creates the middleware of an application. The module generates the call.
 * @example export default createNitroHandler(createAuth().use(githubPlugin()));
 */
export function createNitroHandler(
  given: NitroAuthSource,
  options: NitroHandlerOptions = {},
): NitroHandler {
  return createNitroMiddleware((tools) => {
    const { base = "/", basePath, store, development, developmentFolder } = options;
    const preset: Preset<H3Members> = definePreset({
      name: "nitro",
      extends: isAuth(given) ? [] : [standardPreset],
      plugins: [
        ...(options.plugins ?? []),
        ...(base === "/" ? [] : [homePlugin(base)]),
        ...(basePath === undefined ? [] : [mountPlugin(basePath, base)]),
        ...(development ? [developmentStore(developmentFolder)] : []),
      ],
      ...(basePath !== undefined && { defaults: { basePath } }),
      binding: nitroBinding(tools, options),
    });
    // The store is a plugin of the application, so a second store is refused instead of ignored.
    const withStore = <A extends Auth>(auth: A) => (store ? auth.use(store) : auth);
    if (isAuth(given)) return withStore(given.use(preset));
    if (typeof given !== "function") return withStore(createAuthWith(preset, given));
    return withStore(createAuthWith(preset, (request) => given(tools.find(request as Request))));
  }, options);
}

/**
 * Creates the module for Nitro 2 and 3 with options.
 * @example export default defineConfig({ modules: [keyhookNitro({ basePath: "/api/auth" })] });
 */
export function keyhookNitro(options?: NitroModuleOptions): NitroModule {
  return createNitroModule(options);
}

/** The module for Nitro 2 and 3: `modules: ["keyhook/nitro"]`. */
export const nitroModule: NitroModule = createNitroModule();

export { createAuth };
export { getAuthSession, requireAuthSession } from "../plugins/bindings/nitro.ts";
export type {
  EventAuth,
  NitroAuthSource,
  NitroHandler,
  NitroHandlerOptions,
  NitroModule,
  NitroModuleOptions,
} from "../plugins/bindings/nitro.ts";
// The types of providers that are plain objects.
export type {} from "./standard.ts";
export default nitroModule;
