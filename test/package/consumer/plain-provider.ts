import { createAuth as h3 } from "keyhook/h3";
import { createAuth as nitro } from "keyhook/nitro";
import { createAuth as node } from "keyhook/node";
import { createAuth as standard } from "keyhook/standard";

// No other entry point is imported: each preset has the types of providers that are plain objects.
for (const createAuth of [h3, nitro, node, standard]) {
  createAuth({
    providers: [
      { id: "op", name: "Example", type: "oidc", issuer: "https://op.example", clientId: "app" },
      {
        id: "password",
        name: "Password",
        type: "credentials",
        credentials: {},
        authorize: () => null,
      },
    ],
  });
}
