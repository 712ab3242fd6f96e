import Credentials from "keyhook/providers/credentials";

const ADA = { id: "1", name: "Ada", email: "ada@example.com" };

/** The configuration of the applications of this folder: a password, and an OpenID provider. */
export const config = {
  session: { updateAge: 0 },
  providers: [
    Credentials({
      credentials: { username: {}, password: { type: "password" } },
      authorize: ({ username, password }) =>
        username === "ada" && password === "lovelace" ? ADA : null,
    }),
    {
      id: "op",
      name: "Example",
      type: "oidc",
      issuer: process.env.OP_ISSUER,
      clientId: process.env.OP_ID,
      clientSecret: process.env.OP_SECRET,
    },
  ],
};
