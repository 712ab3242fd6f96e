import { merge } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { getEndpoint } from "./endpoint.ts";
import { loadOpenId } from "./load-openid.ts";
import type { AnyOAuthProvider, OAuthContext, Server } from "./types.ts";

/** A metadata member that a step of the flow requires. */
export type Requirement =
  | "authorization_endpoint"
  | "token_endpoint"
  | "userinfo_endpoint"
  | "jwks_uri";

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

/** Returns whether discovery is required for these members. */
export function isDiscovered(
  provider: AnyOAuthProvider,
  requirements: readonly Requirement[],
): boolean {
  const given = getConfigured(provider);
  return requirements.some((requirement) => given[requirement] === undefined);
}

/**
 * Resolves to a provider's authorization server. Configured endpoints take precedence over discovered ones.
 * @throws AuthError when a required member is missing, or the metadata cannot be fetched.
 */
export async function findServer(
  { kernel, provider, signal }: OAuthContext,
  requirements: readonly Requirement[],
): Promise<Server> {
  const given = getConfigured(provider);
  if (!isDiscovered(provider, requirements)) return given;
  const { discover } = await loadOpenId(kernel);
  const document = await discover(provider, signal);
  // The issuer in the server's own spelling. It is compared exactly from here on.
  const server = { ...document, ...given, issuer: document.issuer ?? "" };
  const missing = requirements.find((requirement) => typeof server[requirement] !== "string");
  if (missing === undefined) return server;
  throw new AuthError(`The metadata has no ${missing}, and none is configured.`);
}

/** Makes the next call fetch the metadata of a provider again, since it may be outdated. */
export async function forgetServer(kernel: Kernel, provider: AnyOAuthProvider): Promise<void> {
  // Configured endpoints are never outdated.
  if (provider.issuer === undefined && provider.wellKnown === undefined) return;
  await loadOpenId(kernel).then(
    (openid) => openid.forget(provider),
    () => {},
  );
}
