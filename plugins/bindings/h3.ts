import { defineHandler, type EventHandler, type H3Plugin } from "h3";
import type { Auth, Binding, Session } from "../../src/kernel.ts";

declare module "h3" {
  interface H3EventContext {
    /** Resolves to the session of this request; its response carries renewed cookies. */
    getSession?: () => Promise<Session | null>;
  }
}

/** The members that `createAuth` of `keyhook/h3` adds to an Auth. */
export interface H3Auth {
  /** Handles the routes below the base path: `app.all("/auth/**", auth.handler)`. */
  readonly handler: EventHandler;
  /**
   * Mounts the routes and adds `event.context.getSession()` to every event:
   * `app.register(auth.plugin)`.
   */
  readonly plugin: H3Plugin;
}

/** The binding for h3 version 2. Every server verb also takes an event (`{ req, res }`). */
export const h3Binding: Binding<H3Auth> = {
  name: "bindings/h3",
  // A request of h3 states its connection: the address, and `waitUntil` where the platform has it.
  extend: (auth: Auth) => ({
    handler: defineHandler(
      async (event) => (await auth.handle(event.req, event.req)) ?? auth.fetch(event.req),
    ),
    plugin: (app) => {
      app.use(async (event, next) => {
        event.context.getSession = () => auth.getSession(event);
        return (await auth.handle(event.req, event.req)) ?? next();
      });
    },
  }),
};
