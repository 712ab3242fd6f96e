export type * from "./types.ts";
export { createAuthWith } from "./auth/auth.ts";
export { defineProvider, definePlugin, definePreset } from "./kernel/define.ts";
export type { ProviderFactory, ProviderPlugin } from "./kernel/define.ts";
export { normalizeEmail } from "./platform/email-address.ts";
export { customFetch, skipCSRFCheck } from "./platform/symbols.ts";
export { callHook } from "./hooks/hooks.ts";
export { checkSignIn } from "./signin/check-sign-in.ts";
export {
  callAdapter,
  findUserByAccount,
  requireLinking,
  requireMethods,
} from "./storage/adapter.ts";
export { getLinkingUser } from "./signin/link-request.ts";
export { getPendingLogin } from "./signin/pending-login.ts";
export { resumeLogin } from "./signin/resume-login.ts";
export { defineFlow } from "./signin/define-flow.ts";
export type { Attempt, FlowDefinition, FlowOptions } from "./signin/define-flow.ts";
export { isTrusted, providerAt } from "./request/context.ts";
export { defineAdapter } from "./signin/define-adapter.ts";
export type { AdapterOptions } from "./signin/define-adapter.ts";
export { defineStore } from "./storage/define-store.ts";
export type { StorePlugin } from "./storage/define-store.ts";
export { sweepStore } from "./storage/sweep.ts";
export { pageUrl } from "./request/redirect.ts";
export { clearCheck, openCheck, sealCheck } from "./signin/checks.ts";
export type { CheckLocation, SealedCheck } from "./signin/checks.ts";
export { boundedFetch } from "./http/fetch.ts";
export type { FetchBounds } from "./http/fetch.ts";
