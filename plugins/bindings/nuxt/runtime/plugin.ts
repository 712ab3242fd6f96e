import type { Plugin } from "#app";
import { defineNuxtPlugin, useState } from "#imports";
import type { Session } from "../../../../src/client.ts";
import type { HeldSession } from "../../_session.ts";
import { findEventAuth } from "./event-auth.ts";
import { createNuxtAuth } from "./state.ts";

// A page that other visitors receive too is rendered without a session: the browser reads it.
async function readOnServer(isSpa: boolean): Promise<HeldSession | undefined> {
  // It could not be read, and that is logged: the browser tries again.
  return findEventAuth(isSpa)
    ?.hold()
    .catch(() => undefined);
}

/**
 * Reads the session on the server and keeps it up to date in the browser. Of a page that shows it, it is in the payload,
 * and no cache stores that page; of any other page nothing depends on it.
 */
export const authNuxtPlugin: Plugin = defineNuxtPlugin({
  name: "keyhook",
  enforce: "pre",
  async setup(nuxtApp) {
    const rendered = useState<Session | null | undefined>("keyhook", () => undefined);
    if (import.meta.server) {
      const held = await readOnServer(Boolean(nuxtApp.ssrContext?.noSSR));
      let isRead = false;
      const auth = createNuxtAuth(held?.session, () => {
        if (!held || isRead) return;
        isRead = true;
        rendered.value = held.session;
        held.use();
      });
      // Whatever the page has set since.
      nuxtApp.hooks.hook("app:rendered", () => void (isRead && held?.use()));
      return { provide: { keyhook: auth } };
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
    const auth = createNuxtAuth(rendered.value, () => {
      if (isNeeded) return;
      isNeeded = true;
      // Not while something is being rendered.
      queueMicrotask(begin);
    });
    // Not before the page is hydrated, which shows what the server rendered.
    const moment = isNeeded ? "app:mounted" : "app:suspense:resolve";
    nuxtApp.hooks.hookOnce(moment, () => {
      isHydrated = true;
      begin();
    });
    return { provide: { keyhook: auth } };
  },
});

export default authNuxtPlugin;
