import { merge } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import { getEndpoint } from "./endpoint.ts";
import type { AnyOAuthProvider, LoadOpenId, OAuthContext, Server } from "./types.ts";

/** A metadata member that a step of the flow requires. */
export type Requirement =
  | "authorization_endpoint"
  | "token_endpoint"
  | "userinfo_endpoint"
  | "jwks_uri";

/** The authorization servers of the providers. Configured endpoints take precedence over discovered ones. */
export interface Servers {
  /**
   * Resolves to a provider's server. Rejects with an `AuthError` when a required member is missing.
   */
  of(ctx: OAuthContext, requirements: readonly Requirement[]): Promise<Server>;
  /** Returns whether discovery is required for these members. */
  isDiscovered(provider: AnyOAuthProvider, requirements: readonly Requirement[]): boolean;
  /** Makes the next call fetch the metadata again, since it may be outdated. */
  forget(provider: AnyOAuthProvider): Promise<void>;
}

function getConfigured(provider: AnyOAuthProvider): Server {
  // `merge` leaves out members that are `undefined`.
  return merge({} as Server, {
    issuer: provider.issuer,
    authorization_endpoint: getEndpoint(provider, "authorization").url,
    token_endpoint: getEndpoint(provider, "token").url,
    userinfo_endpoint: getEndpoint(provider, "userinfo").url,
    jwks_uri: provider.jwks_endpoint,
  });
}

export function createServers(openid: LoadOpenId): Servers {
  const isDiscovered = (provider: AnyOAuthProvider, requirements: readonly Requirement[]) => {
    const given = getConfigured(provider);
    return requirements.some((requirement) => given[requirement] === undefined);
  };

  return {
    isDiscovered,
    async of({ provider, signal }, requirements) {
      const given = getConfigured(provider);
      if (!isDiscovered(provider, requirements)) return given;
      const { discover } = await openid();
      const document = await discover(provider, signal);
      // The issuer in the server's own spelling. It is compared exactly from here on.
      const server = { ...document, ...given, issuer: document.issuer ?? "" };
      const missing = requirements.find((requirement) => typeof server[requirement] !== "string");
      if (missing === undefined) return server;
      throw new AuthError(`The metadata has no ${missing}, and none is configured.`);
    },
    async forget(provider) {
      // Configured endpoints are never outdated.
      if (provider.issuer === undefined && provider.wellKnown === undefined) return;
      await openid().then(
        (one) => one.forget(provider),
        () => {},
      );
    },
  };
}
