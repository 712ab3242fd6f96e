import { config } from "common";
import { type AnyRequestSource, definePlugin } from "keyhook/kernel";
import { createAuth } from "keyhook/next";

// A server function of a plugin, such as `getAccessToken`.
const marks = definePlugin({
  name: "marks",
  setup() {},
  extend: (run) => ({
    mark: (call: AnyRequestSource) =>
      run(call, async (ctx) => {
        ctx.cookies.set("mark", "1", { path: "/" });
        return (await ctx.session())?.session.user?.name ?? "stranger";
      }),
  }),
});

const made = createAuth({
  ...config,
  callbacks: {
    authorized: ({ auth: session, request: { nextUrl } }) =>
      nextUrl.pathname.toLowerCase().startsWith("/locked") ? session !== null : true,
    jwt({ token, trigger, session }) {
      if (trigger === "update") token.name = String((session as { name?: string }).name);
      return token;
    },
  },
}).use(marks);

export const { handlers, auth, signIn, signOut, update, mark, toRequestSource } = made;
