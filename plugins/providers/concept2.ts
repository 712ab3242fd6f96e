import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Concept2's `GET /api/users/me`. */
export interface Concept2Profile {
  data: {
    id: number;
    username: string;
    first_name?: string;
    last_name?: string;
    email?: string | null;
    profile_image?: string | null;
  };
}

/**
 * Adds sign-in with Concept2. The callback is `/auth/callback/concept2`. Reads `AUTH_CONCEPT2_ID` and
 * `AUTH_CONCEPT2_SECRET`. Whether the address is verified is unknown.
 *
 * @see https://log.concept2.com/developers/documentation/
 */
export const concept2Plugin: ProviderFactory<OAuthProvider<Concept2Profile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "concept2",
    name: "Concept2",
    type: "oauth",
    // Scopes are separated by commas.
    authorization: {
      url: "https://log.concept2.com/oauth/authorize",
      params: { scope: "user:read" },
    },
    token: { url: "https://log.concept2.com/oauth/access_token" },
    userinfo: { url: "https://log.concept2.com/api/users/me" },
    profile: ({ data: { id, username: name, email, profile_image: image } }) => ({
      id: id.toString(),
      name,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default concept2Plugin;
