// Augmented by plugins/bindings/h3.ts, which imports nothing of it.
/// <reference types="h3" />

// Frameworks whose types are extended, and which only `test/frameworks/` installs.
declare module "nitropack/types" {
  export interface NitroRouteConfig {}
}

declare module "h3/rules" {
  export interface RouteRuleConfig {}
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
  export function useLogger(tag: string): { warn(text: string): void };
  export function addTypeTemplate(
    template: { filename: string; getContents(): string },
    context: object,
  ): unknown;
}

declare module "#app" {
  export interface Plugin {
    readonly name?: string;
  }
  export interface RouteMiddleware {
    (to: Route): unknown;
  }
  export interface Route {
    readonly path: string;
    readonly fullPath: string;
    readonly meta: { readonly auth?: boolean | "guest" };
  }
}

declare module "#imports" {
  import type { Plugin, Route, RouteMiddleware } from "#app";
  interface NuxtAppLike {
    readonly ssrContext?: { readonly noSSR?: boolean };
    readonly hooks: {
      hook(name: string, run: () => void): void;
      hookOnce(name: string, run: () => void): void;
    };
    readonly $router: { readonly currentRoute: { readonly value: Route } };
    runWithContext(run: () => unknown): unknown;
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
  export function useRoute(): Route & { readonly query: Readonly<Record<string, unknown>> };
  export function useAsyncData<T>(
    key: { readonly value: string },
    read: () => Promise<T>,
    options: { server: boolean },
  ): Promise<{
    readonly data: { readonly value: T | undefined };
    readonly error: { readonly value: Error | undefined };
  }>;
  export function navigateTo(to: string, options?: { external: boolean }): unknown;
}

declare module "#build/keyhook.mjs" {
  export const base: string;
  export const basePath: string;
  export const guestRedirect: string;
  export const watching: { refetchInterval: number; refetchOnWindowFocus: boolean };
  export const rules: Readonly<Record<string, boolean>>;
  export const hasRules: boolean;
}

interface ImportMeta {
  readonly env?: { readonly DEV?: boolean };
  readonly prerender?: boolean;
  readonly server?: boolean;
  readonly client?: boolean;
}

declare module "next/server" {
  interface Url extends URL {
    readonly basePath: string;
    clone(): Url;
  }
  export class NextRequest extends Request {
    readonly nextUrl: Url;
  }
  export class NextResponse extends Response {
    static next(init?: { request?: { headers?: Headers } }): NextResponse;
  }
}

declare module "next/server.js" {
  export { NextRequest, NextResponse } from "next/server";
}

declare module "next/headers.js" {
  export function headers(): Promise<Pick<Headers, "get" | "entries">>;
  export function cookies(): Promise<{
    getAll(): { name: string; value: string }[];
    set(name: string, value: string, attributes: object): void;
  }>;
}

declare module "next/navigation" {
  export function redirect(url: string): never;
}

declare module "@sveltejs/kit" {
  export const VERSION: string;
  export interface RequestEvent {
    readonly request: Request;
    readonly url: URL;
    readonly locals: App.Locals;
    readonly cookies: { set(name: string, value: string, options: { path: string }): void };
    readonly isDataRequest: boolean;
    getClientAddress(): string;
  }
  export interface ActionFailure<T> {
    readonly status: number;
    readonly data: T;
  }
  export function redirect(status: number, url: string, options: { external: boolean }): never;
  export function error(status: number, body: object): never;
  export function error(status: number, message: string, properties: object): never;
  export function fail<T>(status: number, data: T): ActionFailure<T>;
}

declare module "$app/environment" {
  export const building: boolean;
}

declare module "$app/paths" {
  /** Of version 2. */
  export const base: string | undefined;
  export function resolve(path: string): string;
}

declare module "$env/dynamic/private" {
  export const env: Readonly<Record<string, unknown>>;
}
