import type { NextAuthConfig } from "next-auth";
import type { OAuthConfig, OAuthUserConfig, Provider } from "next-auth/providers";

interface Member {
  sub: string;
  login: string;
}

const example = (options: OAuthUserConfig<Member>): OAuthConfig<Member> => ({
  id: "example",
  name: "Example",
  type: "oauth",
  authorization: "https://id.example/authorize",
  token: "https://id.example/token",
  userinfo: "https://id.example/userinfo",
  profile: ({ sub, login }) => ({ id: sub, name: login }),
  options,
});

const providers: Provider[] = [example({ clientId: "id", clientSecret: "secret" })];

/** An application's own providers have the types of Auth.js, also after the move. */
export const withProviders: NextAuthConfig = { providers };
