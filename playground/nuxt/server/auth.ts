import { storeAdapter } from "keyhook/adapters/store";
import { createAuth } from "keyhook/nitro";
import { credentialsPlugin } from "keyhook/providers/credentials";
import { outboxPlugin } from "keyhook/providers/outbox";
import { passkeyPlugin } from "keyhook/providers/passkey";

export default createAuth({
  // The page of this application; Keyhook's other pages have its colour.
  pages: { signIn: "/login" },
  theme: { brandColor: "#00855a" },
  experimental: { enableWebAuthn: true },
  providers: [
    // Issuer and credentials are in AUTH_PLAYGROUND_ISSUER, _ID and _SECRET.
    { id: "playground", name: "Playground ID", type: "oidc" },
  ],
})
  // Users, passkeys and links; in development they are kept in .data/keyhook.
  .use(storeAdapter())
  .use(
    credentialsPlugin({
      credentials: { username: {}, password: { type: "password" } },
      // A real application compares a slow hash of the password (scrypt, argon2).
      authorize: ({ username, password }) =>
        username === "mira" && password === "open-sesame"
          ? { id: "p-1", name: "Mira Solberg" }
          : null,
    }),
  )
  .use(outboxPlugin({ name: "Email" }))
  .use(passkeyPlugin());
