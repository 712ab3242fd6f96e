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

/**
 * Returns whether the authorization response is a form that the browser posts from the identity
 * provider's site.
 */
export function isFormPost(provider: AnyOAuthProvider): boolean {
  const { url, params } = getEndpoint(provider, "authorization");
  if (params?.response_mode !== undefined) return params.response_mode === "form_post";
  return /[?&]response_mode=form_post(?:[&#]|$)/.test(url ?? "");
}

/** Returns whether a provider is of type `oidc`, whose token responses contain an ID token. */
export function isOidc(provider: AnyOAuthProvider): boolean {
  return provider.type === "oidc";
}

/**
 * Returns whether the profile is requested from the userinfo endpoint's URL: not if it is in the token response, or if the
 * provider has a function for it.
 */
export function isUserinfoRequested(provider: AnyOAuthProvider): boolean {
  const { from, request } = getEndpoint(provider, "userinfo");
  return from === undefined && request === undefined;
}
