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

/** Reads the session of the event that a page is rendered for. */
async function readOnServer(
  { ssrContext, hooks }: RenderingApp,
  rendered: { value: Session | null | undefined },
): Promise<NuxtAuth> {
  // A page that other visitors receive too is rendered without a session: the browser reads it.
  const event = findEventAuth(Boolean(ssrContext?.noSSR));
  // It could not be read, and that is logged: the browser tries again.
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
    // Whatever the page has set since.
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
 * Reads the session on the server and keeps it up to date in the browser. Of a page that shows it, it is in the payload,
 * and no cache stores that page; of any other page nothing depends on it.
 */
const authNuxtPlugin: Plugin = defineNuxtPlugin({
  name: "keyhook",
  enforce: "pre",
  async setup(nuxtApp) {
    const rendered = useState<Session | null | undefined>("keyhook", () => undefined);
    if (import.meta.server) {
      return { provide: { keyhook: await readOnServer(nuxtApp, rendered) } };
    }
    // A page that did not read the session on the server reads it when something here does.
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
      // Not while something is being rendered.
      queueMicrotask(begin);
    };
    // Signed out by another tab, or expired: a page that requires a session is not shown any more.
    const leaveGuarded = async () => {
      const route = nuxtApp.$router.currentRoute.value;
      if (getRule(route) !== true) return;
      const { leave } = await import("./leave.ts");
      await nuxtApp.runWithContext(() => leave(route.fullPath, "unauthenticated"));
    };
    const auth = createNuxtAuth(rendered.value, need, () => void leaveGuarded());
    // Not before the page is hydrated, which shows what the server rendered.
    const moment = isNeeded ? "app:mounted" : "app:suspense:resolve";
    nuxtApp.hooks.hookOnce(moment, () => {
      isHydrated = true;
      begin();
    });
    return { provide: { keyhook: auth } };
  },
});

// The only export: Nuxt below 4.5.1 finds no default among several.
export default authNuxtPlugin;
