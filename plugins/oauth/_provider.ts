import type { Kernel } from "../../src/kernel.ts";
import type { AnyOAuthProvider } from "../flows/oauth.ts";

/** Returns a configured provider of OAuth or OpenID Connect, or `undefined` for any other id. */
export function findOAuthProvider(
  { providers }: Pick<Kernel, "providers">,
  id: string,
): AnyOAuthProvider | undefined {
  const provider = providers.get(id);
  const isOne = provider && ["oauth", "oidc"].includes(provider.type);
  return isOne ? (provider as AnyOAuthProvider) : undefined;
}
