import { SvelteKitAuth } from "@auth/sveltekit";
import Credentials from "@auth/sveltekit/providers/credentials";
import GitHub from "@auth/sveltekit/providers/github";

export const { handle, signIn, signOut } = SvelteKitAuth({
  providers: [
    GitHub,
    Credentials({
      credentials: { username: { label: "Username" }, password: { type: "password" } },
      authorize: ({ username, password }) =>
        username === "ada" && password === "lovelace" ? { id: "1", name: "Ada" } : null,
    }),
  ],
  callbacks: {
    jwt({ token, user }) {
      return user ? { ...token, role: "admin" } : token;
    },
    session({ session, token }) {
      return { ...session, role: String(token.role) };
    },
  },
  trustHost: true,
});
