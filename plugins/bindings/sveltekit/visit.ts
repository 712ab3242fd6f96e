import { isSafeMethod } from "../../../src/_kit.ts";
import type { Connection, CookieAttributes } from "../../../src/kernel.ts";
import { createVisit, type Visit } from "../_visit.ts";

/** The parts of a SvelteKit event that Keyhook reads. */
export interface KitEvent {
  readonly request: Request;
  readonly url: URL;
  readonly locals: object;
  readonly cookies: {
    set(name: string, value: string, options: CookieAttributes & { path: string }): void;
  };
  readonly platform?: unknown;
  readonly isDataRequest?: boolean;
  readonly isRemoteRequest?: boolean;
  getClientAddress(): string;
}

// What adapters provide: Cloudflare and Netlify a context, Node its request.
interface PlatformParts {
  readonly ctx?: WaitingContext;
  readonly context?: WaitingContext;
  readonly req?: { readonly originalUrl?: string; readonly url?: string };
}

interface WaitingContext {
  waitUntil?(work: Promise<unknown>): void;
}

function readAddress(event: KitEvent): string | undefined {
  try {
    return event.getClientAddress();
  } catch {
    // An adapter may not know the address, or lack the header that it is configured to read.
    return undefined;
  }
}

function readConnection(event: KitEvent): Connection {
  const { ctx, context, req } = (event.platform ?? {}) as PlatformParts;
  const { request, url, isDataRequest, isRemoteRequest } = event;
  const isSafe = isSafeMethod(request.method);
  // Kit runs the remote form that a post names, whatever page receives the post.
  const namesForm = !isSafe && url.searchParams.has("/remote");
  return {
    callsFunction: isRemoteRequest || namesForm,
    // Kit's router and its queries follow a redirect.
    ...((isDataRequest || (isRemoteRequest && isSafe)) && { isNavigation: true }),
    ip: readAddress(event),
    target: req?.originalUrl ?? req?.url,
    sharesPath: true,
    waitUntil: (work) => (ctx ?? context)?.waitUntil?.(work),
  };
}

/** Returns the visits of events. There is one for each request. */
export type OpenVisit = (event: KitEvent) => Visit;

/** Creates the visits of an application. Kit copies events, but their request stays the same object. */
export function createVisits(): OpenVisit {
  const visits = new WeakMap<Request, Visit>();
  return (event) => {
    const { request, url, isRemoteRequest } = event;
    const visit =
      visits.get(request) ??
      createVisit({
        request,
        // The client of a remote function can send any path as the page's, including one that needs no session.
        url: isRemoteRequest ? new URL(request.url) : url,
        connection: readConnection(event),
        setCookie: (name, value, attributes) => event.cookies.set(name, value, attributes),
      });
    visits.set(request, visit);
    return visit;
  };
}
