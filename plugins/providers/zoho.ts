import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Zoho's `GET /oauth/user/info`. */
export interface ZohoProfile {
  ZUID: number;
  First_Name?: string;
  Last_Name?: string;
  Display_Name?: string;
  Email?: string;
}

/** Options of `zohoPlugin`, in addition to those of every provider. */
export interface ZohoOptions {
  /** The top-level domain of the users' data center. Default `com`. */
  dataCenter?: "com" | "eu" | "in" | "com.au" | "jp";
}

/**
 * Adds sign-in with Zoho. The callback is `/auth/callback/zoho`. Reads `AUTH_ZOHO_ID` and `AUTH_ZOHO_SECRET`. Users of
 * another data center need a separate provider with another `id`. Whether the address is verified is unknown.
 *
 * @see https://www.zoho.com/accounts/protocol/oauth.html
 */
export const zohoPlugin: ProviderFactory<OAuthProvider<ZohoProfile>, ZohoOptions> = defineProvider(
  oauthFlow,
  ({ dataCenter = "com" }) => {
    const accounts = `https://accounts.zoho.${dataCenter}`;
    return {
      id: "zoho",
      name: "Zoho",
      type: "oauth",
      style: { brandColor: "#e42527", icon: () => import("./_icons/zoho.ts") },
      settings: { dataCenter: { example: "eu", oneOf: ["com", "eu", "in", "com.au", "jp"] } },
      authorization: {
        url: `${accounts}/oauth/v2/auth`,
        params: { scope: "AaaServer.profile.Read" },
        allow: ["access_type"],
      },
      token: { url: `${accounts}/oauth/v2/token` },
      userinfo: { url: `${accounts}/oauth/user/info` },
      revocation: `${accounts}/oauth/v2/token/revoke`,
      profile: ({ ZUID: id, First_Name: first, Last_Name: last, Email: email }) => ({
        id: id.toString(),
        name: [first, last].filter(Boolean).join(" ") || null,
        email: email ?? null,
        image: null,
      }),
    };
  },
);

export default zohoPlugin;
