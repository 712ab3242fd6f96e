export { testAdapter } from "./adapter/adapter.ts";
export type { AdapterSuiteOptions, AdapterTrait } from "./adapter/suite.ts";
export { testBinding } from "./binding/binding.ts";
export type { BindingSuiteOptions } from "./binding/binding.ts";
export type { BindingSite } from "./binding/visit.ts";
export { createBrowser } from "./browser.ts";
export type { Browser, BrowserOptions, JsonInit } from "./browser.ts";
export { createClock } from "./clock.ts";
export type { Clock, Duration } from "./clock.ts";
export { diagnose, diagnoseRequest } from "../auth/diagnose.ts";
export { testFlow } from "./flow/flow.ts";
export type {
  FlowCallback,
  FlowStart,
  FlowSuiteOptions,
  FlowTrait,
  FlowUser,
} from "./flow/suite.ts";
export { createIdentityProvider } from "./identity-provider.ts";
export type {
  AuthorizationResponse,
  EndpointName,
  IdentityProvider,
  IdentityProviderOptions,
  ReceivedRequest,
  Tamper,
} from "./identity-provider/types.ts";
export type { TestLog } from "./log.ts";
export { ODD_TEXTS } from "./odd-texts.ts";
export { createOutbox } from "./outbox.ts";
export type { Outbox, SentMail } from "./outbox.ts";
export type { TestRunner } from "./runner.ts";
export { testStore } from "./store/store.ts";
export type { StoreSuiteOptions } from "./store/suite.ts";
export { testStrategy } from "./strategy/strategy.ts";
export type { StrategySuiteOptions } from "./strategy/strategy.ts";
export { createTestAuth } from "./test-auth.ts";
export type { TestAuth, TestAuthOptions } from "./test-auth.ts";
