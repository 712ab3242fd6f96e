import { defineHandler, type EventHandler, type H3Event, type H3Plugin } from "h3";
import type { Auth, Binding, Connection, Session } from "../../src/kernel.ts";

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

/** What h3 states of a request: address, `waitUntil` where the platform has it, and on Node the raw target. */
function getConnection({ req }: H3Event): Connection {
  const { ip, runtime } = req;
  const target = runtime?.node?.req.url;
  return { ip, waitUntil: (work) => void req.waitUntil?.(work), target, runtime };
}

/** The binding for h3 version 2. Every server verb also takes an event (`{ req, res }`). */
export const h3Binding: Binding<H3Auth> = {
  name: "bindings/h3",
  extend: (auth: Auth) => ({
    handler: defineHandler((event) =>
      auth
        .handle(event.req, getConnection(event))
        .then((response) => response ?? auth.fetch(event.req)),
    ),
    plugin: (app) => {
      app.use((event, next) => {
        event.context.getSession = () => auth.getSession(event);
        return auth.handle(event.req, getConnection(event)).then((response) => response ?? next());
      });
    },
  }),
};
