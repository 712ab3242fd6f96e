import { defineFlow, definePlugin, type Plugin, type ProviderBase } from "../../src/kernel.ts";

interface PostProvider extends ProviderBase {
  type: "posted";
}

const USERS = ["ada", "ada2", "eve", "bob"];

/**
 * A provider like the POST binding of SAML: its site posts `RelayState` and `user`. With `state`, the kernel finds the
 * attempt of a response. Without it, the flow compares the state itself.
 */
export function postedPlugin(state?: "RelayState"): Plugin {
  const flow = defineFlow<PostProvider>("posted", {
    csrf: false,
    methods: ["POST"],
    ...(state && { state }),
    start: (ctx, { value }) => ctx.redirect(`https://sso.example/?RelayState=${value}`),
    async finish(ctx, { value }) {
      const { RelayState, user, padding } = await ctx.body();
      if (RelayState !== value) throw new Error("The response belongs to another attempt.");
      if (!USERS.includes(String(user))) throw new Error("The response is of no user.");
      return {
        user: { name: String(user) },
        account: { providerAccountId: String(user), length: JSON.stringify(padding)?.length },
      };
    },
  });
  return definePlugin({
    name: "posted",
    plugins: [flow()],
    setup: (kernel) => kernel.addProvider({ id: "sso", name: "SSO", type: "posted" }),
  });
}
