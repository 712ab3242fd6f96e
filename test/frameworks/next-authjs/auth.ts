import NextAuth, { CredentialsSignin, type NextAuthConfig } from "next-auth";
import Credentials from "next-auth/providers/credentials";
import GitHub from "next-auth/providers/github";

class InvalidLogin extends CredentialsSignin {
  code = "invalid-login";
}

export const config = {
  theme: { brandColor: "#1786fb" },
  providers: [
    GitHub,
    Credentials({
      credentials: {
        username: { label: "Username" },
        password: { label: "Password", type: "password" },
      },
      async authorize(credentials) {
        if (credentials.username !== "ada" || credentials.password !== "lovelace") {
          throw new InvalidLogin();
        }
        return { id: "1", name: "Ada", email: "ada@example.com" };
      },
    }),
  ],
  callbacks: {
    authorized({ request, auth }) {
      const { pathname } = request.nextUrl;
      if (pathname.startsWith("/dashboard")) return !!auth;
      return true;
    },
    jwt({ token, trigger, session, account }) {
      if (trigger === "update") token.name = session.user.name;
      if (account?.provider === "credentials") return { ...token, role: "admin" };
      return token;
    },
    async session({ session, token }) {
      if (token.role) session.user.role = token.role as string;
      return session;
    },
  },
  session: { strategy: "jwt" },
} satisfies NextAuthConfig;

export const { handlers, auth, signIn, signOut, unstable_update } = NextAuth(config);

declare module "next-auth" {
  interface User {
    role?: string;
  }
}
