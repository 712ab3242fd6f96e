import { createAuth } from "keyhook";
import { credentialsPlugin } from "keyhook/providers/credentials";

export const runtime = "edge";

const ADA = { id: "1", name: "Ada", email: "ada@example.com" };

export const { GET, POST } = createAuth({
  providers: [
    {
      id: "op",
      name: "Example",
      type: "oidc",
      issuer: process.env.OP_ISSUER,
      clientId: process.env.OP_ID,
      clientSecret: process.env.OP_SECRET,
    },
  ],
}).use(
  credentialsPlugin({
    credentials: { username: {}, password: { type: "password" } },
    authorize: ({ username, password }) =>
      username === "ada" && password === "lovelace" ? ADA : null,
  }),
).handlers;
