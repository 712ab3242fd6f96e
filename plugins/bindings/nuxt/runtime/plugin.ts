import type { Plugin } from "#app";
import { defineNuxtPlugin, useState } from "#imports";
import type { Session } from "../../../../src/client.ts";
import { findEventAuth } from "./event-auth.ts";
import { getRule } from "./rule.ts";
import { createNuxtAuth, type NuxtAuth } from "./state.ts";

interface RenderingApp {
  readonly ssrContext?: { readonly noSSR?: boolean };
  readonly hooks: { hook(name: "app:rendered", run: () => void): void };
}

/** Reads the session of the event for which a page is rendered. */
async function readOnServer(
  { ssrContext, hooks }: RenderingApp,
  rendered: { value: Session | null | undefined },
): Promise<NuxtAuth> {
  // A page that other visitors receive too is rendered without a session. The browser reads it.
  const event = findEventAuth(Boolean(ssrContext?.noSSR));
  // The failed read is logged, and the browser tries again.
  const held = await event?.hold().catch(() => undefined);
  let isPrivate = false;
  let isRendered = false;
  const use = () => {
    if (isRendered) return;
    isPrivate = true;
    held?.use();
  };
  event?.follow(use);
  hooks.hook("app:rendered", () => {
    // Overrides whatever the page has set since.
    if (isPrivate) use();
    isRendered = true;
  });
  return createNuxtAuth(held?.session, () => {
    if (!held || rendered.value !== undefined) return;
    rendered.value = held.session;
    use();
  });
}

/**
 * Reads the session on the server and keeps it up to date in the browser. If a page shows the session, the payload
 * contains it, and no cache stores the page. No other page depends on the session.
 */
const authNuxtPlugin: Plugin = defineNuxtPlugin({
  name: "keyhook",
  enforce: "pre",
  async setup(nuxtApp) {
    const rendered = useState<Session | null | undefined>("keyhook", () => undefined);
    if (import.meta.server) {
      return { provide: { keyhook: await readOnServer(nuxtApp, rendered) } };
    }
    // If a page did not read the session on the server, it is read when something in the browser needs it.
    let isHydrated = false;
    let isNeeded = rendered.value !== undefined;
    let isStarted = false;
    const begin = () => {
      if (!isHydrated || !isNeeded || isStarted) return;
      isStarted = true;
      auth.start();
    };
    const need = () => {
      if (isNeeded) return;
      isNeeded = true;
      // Not during rendering.
      queueMicrotask(begin);
    };
    // The user signed out in another tab, or the session expired. A page that requires a session must no longer be
    // shown.
    const leaveGuarded = async () => {
      const route = nuxtApp.$router.currentRoute.value;
      if (getRule(route) !== true) return;
      const { leave } = await import("./leave.ts");
      await nuxtApp.runWithContext(() => leave(route.fullPath, "unauthenticated"));
    };
    const auth = createNuxtAuth(rendered.value, need, () => void leaveGuarded());
    // Not before the page is hydrated, because hydration must match what the server rendered.
    const moment = isNeeded ? "app:mounted" : "app:suspense:resolve";
    nuxtApp.hooks.hookOnce(moment, () => {
      isHydrated = true;
      begin();
    });
    return { provide: { keyhook: auth } };
  },
});

// The only export, because Nuxt below 4.5.1 finds no default export among several.
export default authNuxtPlugin;
