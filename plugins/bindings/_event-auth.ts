import type { Session } from "../../src/kernel.ts";
import type { HeldSession } from "./_session.ts";

/** Reads the session of an event: `event.context.auth`. */
export interface EventAuth {
  /** Resolves to the session of the event; `null` without one. Read once per request. */
  (): Promise<Session | null>;
  /**
   * Resolves to the session of the event.
   * @throws Error without one, to which Nitro responds with 401.
   */
  require(): Promise<Session>;
  /**
   * Resolves to the session of the event, whose user has signed in within `session.freshAge`.
   * @throws Error otherwise, to which Nitro responds with 401.
   */
  requireFresh(): Promise<Session>;
  /**
   * Resolves to the session of the event, on which the response does not depend until its `use` is called. For what
   * renders pages.
   */
  hold(): Promise<HeldSession>;
  /**
   * Calls the listener when code of the event fetches a private response from the application itself, in the process. For
   * what renders pages: they contain it.
   */
  follow(listener: () => void): void;
  /**
   * Sends a GET to a route below the base path, in the process and as the visitor: with the request's cookies and language.
   * The event's response carries the cookies that it sets, and is stored by no cache.
   * @throws Error where there is no such route, and in a cached handler of Nitro.
   * @example const response = await event.context.auth.fetch("/signin", { accept: "application/json" });
   */
  fetch(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
}
