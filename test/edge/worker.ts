import { createAuth } from "keyhook";

const auth = createAuth({
  secret: "a secret for this test alone, 32 characters and more",
  trustHost: true,
  providers: [
    {
      id: "credentials",
      name: "Credentials",
      type: "credentials",
      credentials: { username: { label: "User" } },
      authorize: (fields) =>
        fields.username === "ada" ? { id: "1", name: "Ada", email: "ada@example.com" } : null,
    },
  ],
});

export default { fetch: (request: Request) => auth.fetch(request) };
