import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as HuggingfaceProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Hugging Face. The callback is `/auth/callback/huggingface`. Reads `AUTH_HUGGINGFACE_ID`
 * and `AUTH_HUGGINGFACE_SECRET`.
 *
 * @see https://huggingface.co/docs/hub/oauth
 */
export const huggingfacePlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "huggingface",
  name: "Hugging Face",
  type: "oidc",
  style: { brandColor: "#ffd21e", icon: () => import("./_icons/huggingface.ts") },
  issuer: "https://huggingface.co",
  authorization: { allow: ["orgIds"] },
  checks: ["pkce", "state"],
}));

export default huggingfacePlugin;
