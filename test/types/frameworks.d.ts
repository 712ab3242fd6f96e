// Frameworks whose types are extended, and which only `test/frameworks/` installs.
declare module "nitropack/types" {
  export interface NitroRouteConfig {}
}

declare module "nitro/types" {
  export interface NitroRouteConfig {}
}

declare module "nuxt/kit" {
  type Module = (options: object, nuxt: never) => Promise<unknown>;
  export function defineNuxtModule<Options extends object, Nuxt>(definition: {
    meta: object;
    setup(options: Options, nuxt: Nuxt): Promise<void>;
  }): (options: Options, nuxt: Nuxt) => Promise<unknown>;
  export function addServerTemplate(template: { filename: string; getContents(): string }): unknown;
  export function addTemplate(template: { filename: string; getContents(): string }): unknown;
  export function addServerHandler(handler: {
    middleware: boolean;
    handler: string;
    route?: string;
  }): void;
  export function addServerImports(imports: { name: string; from: string }[]): void;
  export function addImports(imports: { name: string; from: string }[]): void;
  export function addPlugin(path: string): unknown;
  export function addRouteMiddleware(given: { name: string; path: string; global: boolean }): void;
  export function addComponent(given: { name: string; export: string; filePath: string }): void;
  export function addTypeTemplate(
    template: { filename: string; getContents(): string },
    context: object,
  ): unknown;
}

declare module "#app" {
  interface NuxtAppLike {
    readonly ssrContext?: { readonly noSSR?: boolean };
    readonly hooks: {
      hook(name: string, run: () => void): void;
      hookOnce(name: string, run: () => void): void;
    };
  }
  export interface Plugin {
    readonly name?: string;
  }
  export interface RouteMiddleware {
    (to: Route): unknown;
  }
  interface Route {
    readonly path: string;
    readonly fullPath: string;
    readonly meta: { readonly auth?: boolean | "guest" };
  }
  export function defineNuxtPlugin(plugin: {
    name: string;
    enforce: "pre";
    setup(nuxtApp: NuxtAppLike): Promise<{ provide: object }>;
  }): Plugin;
  export function defineNuxtRouteMiddleware(run: (to: Route) => unknown): RouteMiddleware;
  export function useRequestEvent(): { readonly context: object } | undefined;
  export function useState<T>(key: string, init: () => T): { value: T };
  export function useNuxtApp(): object;
  export function navigateTo(to: string, options?: { external: boolean }): unknown;
}

declare module "#build/keyhook.mjs" {
  export const base: string;
  export const basePath: string;
  export const guestRedirect: string;
  export const rules: Readonly<Record<string, boolean>>;
}

interface ImportMeta {
  readonly prerender?: boolean;
  readonly server?: boolean;
  readonly client?: boolean;
}
