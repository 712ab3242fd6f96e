import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Lichess's `GET /api/account`, with `address` from `GET /api/account/email`. */
export interface LichessProfile {
  /** The user name in lower case. Lichess never reassigns it to another user. */
  id: string;
  username?: string;
  address?: { email?: string };
}

/**
 * Adds sign-in with Lichess. The callback is `/auth/callback/lichess`. Reads `AUTH_LICHESS_ID`, any text that names the
 * application. Lichess has no registration, and needs no `_SECRET`. Whether the address is verified is unknown.
 *
 * @see https://lichess.org/api#tag/OAuth
 */
export const lichessPlugin: ProviderFactory<OAuthProvider<LichessProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "lichess",
    name: "Lichess",
    type: "oauth",
    style: { brandColor: "#000000", icon: () => import("./_icons/lichess.ts") },
    authorization: { url: "https://lichess.org/oauth", params: { scope: "email:read" } },
    token: { url: "https://lichess.org/api/token" },
    userinfo: { url: "https://lichess.org/api/account" },
    enrich: [{ into: "address", url: "https://lichess.org/api/account/email" }],
    client: { token_endpoint_auth_method: "none" },
    checks: ["pkce", "state"],
    profile: ({ id, username: name, address }) => ({
      id,
      name: name ?? null,
      email: address?.email ?? null,
      image: null,
    }),
  }),
);

export default lichessPlugin;
