import { storeAdapter } from "keyhook/adapters/store";
import { createAuth } from "keyhook/nitro";
import { credentialsPlugin } from "keyhook/providers/credentials";
import { outboxPlugin } from "keyhook/providers/outbox";
import { passkeyPlugin } from "keyhook/providers/passkey";

export default createAuth({
  // The application's own page. Keyhook's other pages use its color.
  pages: { signIn: "/login" },
  theme: { brandColor: "#00855a" },
  experimental: { enableWebAuthn: true },
  providers: [
    // Issuer and credentials come from AUTH_PLAYGROUND_ISSUER, AUTH_PLAYGROUND_ID and AUTH_PLAYGROUND_SECRET.
    { id: "playground", name: "Playground ID", type: "oidc" },
  ],
})
  // Users, passkeys and links. In development they are kept in .data/keyhook.
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
