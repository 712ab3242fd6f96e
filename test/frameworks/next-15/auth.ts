import { config } from "common";
import { createAuth } from "keyhook/next";

export const { handlers, auth, signIn, signOut, unstable_update } = createAuth({
  ...config,
  callbacks: {
    jwt({ token, trigger, session }) {
      if (trigger === "update") token.name = (session as { user: { name: string } }).user.name;
      return token;
    },
  },
});
