import { createAuth } from "keyhook/h3";
import { credentialsPlugin } from "keyhook/providers/credentials";

const ADA = { id: "1", name: "Ada", email: "ada@example.com" };

export default createAuth({
  session: { updateAge: 0 },
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
);
