export type * from "./types.ts";
export * from "./errors.ts";
export { createAuthWith } from "./auth.ts";
export { defineProvider, definePlugin, definePreset } from "./define.ts";
export type { ProviderFactory, ProviderPlugin } from "./define.ts";
export { customFetch, skipCSRFCheck } from "./symbols.ts";
export { ask } from "./hooks.ts";
export { allow, land } from "./login.ts";
export { callAdapter, needMethods } from "./adapter.ts";
export { linkTarget, needLinking } from "./link.ts";
export { residentOf } from "./settle.ts";
export { isTrusted, NO_STORE, providerAt } from "./context.ts";
export { createStore, defineStore } from "./store.ts";
export type { StoreOptions, StorePlugin } from "./store.ts";
export { sweepStore } from "./sweep.ts";
export type { SweepOptions } from "./sweep.ts";
export { pageUrl } from "./redirect.ts";
export { markup, textOf, unescaped } from "./page/html.ts";
export type { Html, Printable } from "./page/html.ts";
export { inkOn } from "./page/color.ts";
export { chain, isPromise } from "./awaitable.ts";
export { createCache, createLoader } from "./cache.ts";
export * from "./crypto.ts";
export { merge } from "./merge.ts";
export { processEnv, providerEnv } from "./env.ts";
export { parseJson } from "./json.ts";
export {
  beginAttempt,
  clearCheck,
  hasAttempt,
  openCheck,
  sealCheck,
  takeAttempt,
} from "./checks.ts";
export type { Attempt, AttemptKey, AttemptValues, CheckPlace, SealedCheck } from "./checks.ts";
export { boundedFetch, isLoopback, isSecureUrl } from "./fetch.ts";
export { until } from "./bytes.ts";
export type { FetchBounds } from "./fetch.ts";
