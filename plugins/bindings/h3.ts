import { defineHandler, type EventHandler, type H3Plugin } from "h3";
import type { Auth, Binding, Session } from "../../src/index.ts";

declare module "h3" {
  interface H3EventContext {
    /** The session of this request; renewed cookies go out with its response. */
    getSession?: () => Promise<Session | null>;
  }
}

/** What `createAuth` of `keyhook/h3` adds to an Auth. */
export interface H3Face {
  /** Answers the routes below the base path: `app.all("/auth/**", auth.handler)`. */
  readonly handler: EventHandler;
  /** Mounts the routes and gives every event `event.context.getSession()`: `app.register(auth.plugin)`. */
  readonly plugin: H3Plugin;
}

/** The face for h3 version 2. An event (`{ req, res }`) is also what every server verb takes. */
export const h3Binding: Binding<H3Face> = {
  name: "bindings/h3",
  face: (auth: Auth) => ({
    handler: defineHandler((event) => auth.fetch(event.req)),
    plugin: (app) => {
      app.use(async (event, next) => {
        event.context.getSession = () => auth.getSession(event);
        return (await auth.handle(event.req)) ?? next();
      });
    },
  }),
};

export default h3Binding;
