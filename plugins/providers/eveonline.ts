import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The claims of EVE's access token. */
export interface EVEOnlineProfile {
  /** `CHARACTER:EVE:` and the character's id. */
  sub: string;
  /** The character's name. */
  name?: string;
  /** Changes when the character is transferred to another account. */
  owner?: string;
}

/**
 * Adds sign-in with EVE Online. The callback is `/auth/callback/eveonline`. Reads `AUTH_EVEONLINE_ID` and
 * `AUTH_EVEONLINE_SECRET`. An account is a character, and has no address.
 *
 * @see https://developers.eveonline.com/docs/services/sso/
 */
export const eveonlinePlugin: ProviderFactory<OAuthProvider<EVEOnlineProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "eveonline",
    name: "EVE Online",
    type: "oauth",
    style: { brandColor: "#000000" },
    authorization: {
      url: "https://login.eveonline.com/v2/oauth/authorize",
      params: { scope: "publicData" },
    },
    token: { url: "https://login.eveonline.com/v2/oauth/token" },
    jwks_endpoint: "https://login.eveonline.com/oauth/jwks",
    // The character is in the access token. The endpoint that read the token has been shut down.
    userinfo: { from: "access_token" },
    revocation: "https://login.eveonline.com/v2/oauth/revoke",
    profile: ({ sub, name }) => {
      const id = sub.split(":")[2] ?? "";
      return {
        id,
        name: name ?? null,
        email: null,
        image: `https://images.evetech.net/characters/${id}/portrait`,
      };
    },
  }),
);

export default eveonlinePlugin;
