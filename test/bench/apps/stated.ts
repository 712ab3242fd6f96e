import { createAuth } from "keyhook/minimal";
import { githubPlugin } from "keyhook/providers/github";

const auth = createAuth({
  secret: "bench-secret-of-more-than-32-characters",
  trustHost: true,
  // Everything is stated here, as for @auth/core, which reads no variables itself.
  env: {},
  callbacks: {
    jwt({ token, user }) {
      if (user?.id) token.id = user.id;
      return token;
    },
    session: ({ session, token }) => ({ ...session, sub: token?.sub }),
  },
}).use(githubPlugin({ clientId: "id", clientSecret: "secret" }));

export default (request: Request): Promise<Response> => auth.fetch(request);
