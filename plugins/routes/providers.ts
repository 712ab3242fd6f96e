import { definePlugin, type Plugin, providerAt, type PublicProvider } from "../../src/index.ts";

/** `GET /providers` lists the ways in, for clients that draw their own page. */
export function providersRoute(): Plugin {
  return definePlugin({
    name: "routes/providers",
    setup(kernel) {
      kernel.addRoute({
        method: "GET",
        path: "/providers",
        json: true,
        handler(ctx) {
          const list: Record<string, PublicProvider> = {};
          for (const provider of ctx.kernel.providers.values()) {
            const { id, name, type, signinUrl, callbackUrl } = providerAt(ctx, provider);
            list[id] = { id, name, type, signinUrl, callbackUrl };
          }
          return ctx.json(list);
        },
      });
    },
  });
}

export default providersRoute;
