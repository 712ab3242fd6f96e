import { Auth, type AuthConfig } from "@auth/core";
import GitHub from "@auth/core/providers/github";

const config: AuthConfig = {
  secret: "bench-secret-of-more-than-32-characters",
  trustHost: true,
  basePath: "/auth",
  callbacks: {
    jwt({ token, user }) {
      if (user?.id) token.id = user.id;
      return token;
    },
    session: ({ session, token }) => ({ ...session, sub: token?.sub }),
  },
  providers: [GitHub({ clientId: "id", clientSecret: "secret" })],
};

export default (request: Request): Promise<Response> => Auth(request, config);
