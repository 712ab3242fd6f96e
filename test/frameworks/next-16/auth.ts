import { config } from "common";
import { createAuth } from "keyhook/next";

export const { handlers, auth, signIn, signOut, update } = createAuth({
  ...config,
  callbacks: {
    authorized: ({ auth: session, request: { nextUrl } }) =>
      nextUrl.pathname.toLowerCase().startsWith("/locked") ? session !== null : true,
    jwt({ token, trigger, session }) {
      if (trigger === "update") token.name = String((session as { name?: string }).name);
      return token;
    },
  },
});
