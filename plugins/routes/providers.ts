import {
  type AuthContext,
  createCache,
  definePlugin,
  type Plugin,
  type PublicProvider,
  providerAt,
} from "../../src/index.ts";

function listOf(ctx: AuthContext): Record<string, PublicProvider> {
  const list: Record<string, PublicProvider> = {};
  for (const provider of ctx.kernel.providers.values()) {
    const { id, name, type, signinUrl, callbackUrl } = providerAt(ctx, provider);
    list[id] = { id, name, type, signinUrl, callbackUrl };
  }
  return list;
}

/** `GET /providers` lists the ways in, for clients that draw their own page. */
export function providersRoute(): Plugin {
  return definePlugin({
    name: "routes/providers",
    setup(kernel) {
      // Only the origin differs from request to request.
      const texts = createCache<string>({ max: 16 });
      kernel.addRoute({
        method: "GET",
        path: "/providers",
        json: true,
        handler(ctx) {
          let text = texts.get(ctx.base);
          if (text === undefined) {
            text = JSON.stringify(listOf(ctx));
            texts.set(ctx.base, text);
          }
          return new Response(text, { headers: { "content-type": "application/json" } });
        },
      });
    },
  });
}

export default providersRoute;
