import type { AuthorizationEndpoint, TokenEndpoint, UserinfoEndpoint } from "../../../src/index.ts";
import type { AnyOAuthProvider } from "./types.ts";

interface Endpoints {
  authorization: AuthorizationEndpoint;
  token: TokenEndpoint;
  userinfo: UserinfoEndpoint;
}

/** A provider's endpoint as an object, whichever way it was written. */
export function endpointOf<K extends keyof Endpoints>(
  provider: Pick<AnyOAuthProvider, K>,
  name: K,
): Endpoints[K] {
  const given = provider[name] as string | Endpoints[K] | undefined;
  return typeof given === "string" ? ({ url: given } as Endpoints[K]) : (given ?? {});
}

/** Whether the answer comes as a form that the browser posts from the provider's site. */
export function isFormPost(provider: AnyOAuthProvider): boolean {
  const { url, params } = endpointOf(provider, "authorization");
  if (params?.response_mode !== undefined) return params.response_mode === "form_post";
  return /[?&]response_mode=form_post(?:[&#]|$)/.test(url ?? "");
}

/** Whether an ID token is part of the protocol with this provider. */
export function isOidc(provider: AnyOAuthProvider): boolean {
  return provider.type === "oidc";
}
