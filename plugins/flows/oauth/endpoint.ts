import type {
  AuthorizationEndpoint,
  EndSessionEndpoint,
  RevocationEndpoint,
  TokenEndpoint,
  UserinfoEndpoint,
} from "./provider.ts";
import type { AnyOAuthProvider } from "./types.ts";

interface Endpoints {
  authorization: AuthorizationEndpoint;
  token: TokenEndpoint;
  userinfo: UserinfoEndpoint;
  endSession: EndSessionEndpoint;
  revocation: RevocationEndpoint;
}

/**
 * Returns a provider's endpoint as an object, whether it is configured as a URL or as an object.
 */
export function getEndpoint<K extends keyof Endpoints>(
  provider: Pick<AnyOAuthProvider, K>,
  name: K,
): Endpoints[K] {
  const given = provider[name] as string | Endpoints[K] | undefined;
  return typeof given === "string" ? ({ url: given } as Endpoints[K]) : (given ?? {});
}

/** Returns a configured parameter of the authorization request, from `params` or else from the URL. */
export function getAuthorizationParam(provider: AnyOAuthProvider, name: string): unknown {
  const { url = "", params } = getEndpoint(provider, "authorization");
  const [, query = ""] = /\?([^#]*)/.exec(url) ?? [];
  return params?.[name] ?? new URLSearchParams(query).get(name) ?? undefined;
}

/**
 * Returns whether the authorization response is a form that the browser posts from the identity
 * provider's site.
 */
export function isFormPost(provider: AnyOAuthProvider): boolean {
  return getAuthorizationParam(provider, "response_mode") === "form_post";
}

/** Returns whether a provider is of type `oidc`, whose token responses contain an ID token. */
export function isOidc(provider: AnyOAuthProvider): boolean {
  return provider.type === "oidc";
}

/**
 * Returns whether the profile is requested from the userinfo endpoint's URL. It is not if the profile is in the token
 * response, or if the provider has a function for it.
 */
export function isUserinfoRequested(provider: AnyOAuthProvider): boolean {
  const { from, request } = getEndpoint(provider, "userinfo");
  return from === undefined && request === undefined;
}
