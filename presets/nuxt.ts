import { type NuxtLike, type NuxtModuleOptions, setUpNuxt } from "../plugins/bindings/nuxt.ts";

/** A module for `modules` of Nuxt's configuration. */
export interface NuxtModule {
  (options: NuxtModuleOptions | undefined, nuxt: NuxtLike): Promise<unknown>;
  getMeta(): Promise<{ name: string; configKey: string }>;
  getOptions(options?: NuxtModuleOptions, nuxt?: NuxtLike): Promise<NuxtModuleOptions>;
}

const META = { name: "keyhook", configKey: "auth", compatibility: { nuxt: ">=4.0.0" } };

/** The module for Nuxt 4 and 5: `modules: ["keyhook/nuxt"]`. Its options are `auth` in `nuxt.config.ts`. */
export const nuxtModule: NuxtModule = Object.assign(
  async (options: NuxtModuleOptions | undefined, nuxt: NuxtLike): Promise<unknown> => {
    // The application's own Nuxt, because this package works without it.
    const { defineNuxtModule } = await import("nuxt/kit");
    const { fileURLToPath } = await import("node:url");
    const find = (file: string) => fileURLToPath(new URL(file, import.meta.url));
    const files = { runtime: find("../plugins/bindings/nuxt/runtime"), server: find("nitro.js") };
    const setup = (given: NuxtModuleOptions, app: NuxtLike) => setUpNuxt(given, app, files);
    return defineNuxtModule({ meta: META, setup })(options ?? {}, nuxt);
  },
  {
    getMeta: async () => META,
    getOptions: async (options?: NuxtModuleOptions, nuxt?: NuxtLike) => ({
      ...nuxt?.options.auth,
      ...options,
    }),
  },
);

export type { NuxtModuleOptions };
export default nuxtModule;
