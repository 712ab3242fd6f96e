import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { atprotoFlow, type AtprotoProvider } from "../flows/atproto.ts";

/**
 * Adds sign-in with Bluesky, and with every other server of the AT Protocol. The callback is `/auth/callback/bluesky`.
 * There is no registration. Servers fetch the client metadata document at `/auth/client-metadata/bluesky`, so the
 * application must be reachable at its public origin, with https at the default port. For development, open it at
 * `http://127.0.0.1` with any port, because servers do not redirect to `localhost`.
 *
 * Reads `AUTH_BLUESKY_PRIVATE_KEY`, a JSON Web Key on the curve P-256 or a list of keys, with which the client
 * authenticates. Without a key it is a public client. The visitor types a handle, a DID or the URL of a server.
 * Visitors who type nothing sign in at Bluesky.
 *
 * The account's id is the DID. The address is returned with the scope `atproto transition:email`. It counts as verified
 * only for accounts that Bluesky itself hosts.
 *
 * @see https://atproto.com/specs/oauth
 */
export const blueskyPlugin: ProviderFactory<AtprotoProvider> = defineProvider(atprotoFlow, () => ({
  id: "bluesky",
  name: "Bluesky",
  type: "atproto",
  style: { brandColor: "#1185fe", icon: () => import("./_icons/bluesky.ts") },
  server: "https://bsky.social",
  placeholder: "name.bsky.social",
  trustedServers: ["bsky.social", "*.host.bsky.network"],
  userinfo: { url: "https://public.api.bsky.app/xrpc/app.bsky.actor.getProfile?actor={did}" },
  profile: ({ did, handle, displayName, avatar, email }) => ({
    name: displayName ?? handle ?? did,
    email: email ?? null,
    image: avatar ?? null,
  }),
}));

export default blueskyPlugin;
