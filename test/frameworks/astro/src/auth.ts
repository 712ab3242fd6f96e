import { config } from "common";
import { createAuth } from "keyhook/astro";

export const auth = createAuth({
  ...config,
  callbacks: {
    authorized: ({ request, auth: session }) =>
      session !== null || !new URL(request.url).pathname.startsWith("/guarded"),
    jwt: ({ token, trigger, session }) =>
      trigger === "update" ? { ...token, name: (session as { name: string }).name } : token,
  },
});
