import { JSON_HEADERS, NO_STORE } from "../../src/_kit.ts";
import {
  type AuthContext,
  definePlugin,
  type Plugin,
  type PublicProvider,
  providerAt,
} from "../../src/kernel.ts";

function listProviders(ctx: AuthContext): Record<string, PublicProvider> {
  const list: Record<string, PublicProvider> = {};
  for (const provider of ctx.kernel.providers.values()) {
    const { id, name, type, signinUrl, callbackUrl } = providerAt(ctx, provider);
    const { direct, ceremony } = ctx.kernel.flow(type);
    list[id] = {
      id,
      name,
      type,
      signinUrl,
      callbackUrl,
      ...(direct && { direct }),
      ...(ceremony !== undefined && { ceremony }),
    };
  }
  return list;
}

/** Returns the plugin for `GET /providers`, which lists the providers for clients that render their own page. */
export const providersRoute: () => Plugin = definePlugin(function providersRoute(): Plugin {
  return {
    name: "routes/providers",
    setup(kernel) {
      // The response depends only on the base URL. A shared cache must not serve one host's response to another.
      const texts = kernel.createCache<string>("routes/providers", { max: 16 });
      kernel.addRoute({
        method: "GET",
        path: "/providers",
        json: true,
        handler(ctx) {
          let text = texts.get(ctx.base);
          if (text === undefined) {
            text = JSON.stringify(listProviders(ctx));
            texts.set(ctx.base, text);
          }
          return new Response(text, { headers: { ...JSON_HEADERS, ...NO_STORE } });
        },
      });
    },
  };
});
