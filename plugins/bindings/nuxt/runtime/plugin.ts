import { defineNuxtPlugin, type Plugin, useRequestEvent, useState } from "#app";
import { basePath } from "#build/keyhook.mjs";
import type { Session } from "../../../../src/client.ts";
import { createNuxtAuth } from "./state.ts";

interface ServerContext {
  readonly auth?: () => Promise<Session | null>;
  readonly cache?: unknown;
  readonly routeRules?: Rules;
  readonly _nitro?: { readonly routeRules?: Rules };
}

type Rules = Readonly<Record<string, unknown>>;

// Also where the platform caches, and Nitro does not know: `isr` on Vercel and Netlify.
function isShared({ cache, routeRules, _nitro }: ServerContext): boolean {
  const rules = { ..._nitro?.routeRules, ...routeRules };
  return cache !== undefined || ["cache", "swr", "isr", "prerender"].some((name) => rules[name]);
}

// A page that other visitors receive too is rendered without a session: the browser reads it.
async function readOnServer(isSpa: boolean): Promise<Session | null | undefined> {
  const context = useRequestEvent()?.context as ServerContext | undefined;
  if (!context?.auth || isSpa || import.meta.prerender || isShared(context)) return undefined;
  // It could not be read, and that is logged: the browser tries again.
  return context.auth().catch(() => undefined);
}

/** Reads the session on the server, hands it on in the payload, and keeps it up to date in the browser. */
export const authNuxtPlugin: Plugin = defineNuxtPlugin({
  name: "keyhook",
  enforce: "pre",
  async setup(nuxtApp) {
    const rendered = useState<Session | null | undefined>("keyhook", () => undefined);
    if (import.meta.server) {
      rendered.value = await readOnServer(Boolean(nuxtApp.ssrContext?.noSSR));
    }
    const auth = createNuxtAuth(basePath, rendered.value);
    if (import.meta.client) {
      // Not before the page is hydrated, which shows what the server rendered.
      const moment = rendered.value === undefined ? "app:suspense:resolve" : "app:mounted";
      nuxtApp.hooks.hookOnce(moment, () => auth.start());
    }
    return { provide: { keyhook: auth } };
  },
});

export default authNuxtPlugin;
