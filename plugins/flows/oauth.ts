export type { Cause, ProviderClient } from "./oauth/client.ts";
export type * from "./oauth/provider.ts";
export type { LogoutRequest, RevocableTokens } from "./oauth/logout.ts";
export type { AnyOAuthProvider, LogoutClaims } from "./oauth/types.ts";
export { readDataUrl } from "./oauth/data-url.ts";
export { loadProviderClient } from "./oauth/load-client.ts";
export { oauthFlow } from "./oauth/oauth-flow.ts";
export { oidcFlow } from "./oauth/oidc-flow.ts";
export { isSameEmail } from "./oauth/same-email.ts";
