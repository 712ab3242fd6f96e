import type { Session } from "../../src/kernel.ts";
import type { HeldSession } from "./_session.ts";

/** Reads the session of an event: `event.context.auth`. */
export interface EventAuth {
  /** Resolves to the session of the event, or to `null`. Read once per request. */
  (): Promise<Session | null>;
  /**
   * Resolves to the session of the event.
   * @throws Error without a session. Nitro responds with 401.
   */
  require(): Promise<Session>;
  /**
   * Resolves to the session of the event, whose user has signed in within `session.freshAge`.
   * @throws Error otherwise. Nitro responds with 401.
   */
  requireFresh(): Promise<Session>;
  /**
   * Resolves to the session of the event. The response does not depend on it until its `use` is called. For code that
   * renders pages.
   */
  hold(): Promise<HeldSession>;
  /**
   * Calls the listener when code of the event fetches a private response from the application itself, in process. For
   * code that renders pages, because the pages contain that response.
   */
  follow(listener: () => void): void;
  /**
   * Sends a GET to a route below the base path, in process and as the visitor: with the request's cookies and language.
   * The event's response carries the cookies that the route sets, and is not stored by shared caches.
   * A path without a route has a response with status 404.
   * @throws Error for a path that is not below the base path, and in a cached handler of Nitro.
   * @example const response = await event.context.auth.fetch("/signin", { accept: "application/json" });
   */
  fetch(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
}
