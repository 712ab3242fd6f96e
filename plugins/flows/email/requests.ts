import { createCache, PluginError, sha256Base64url } from "../../../src/index.ts";
import type { Kernel, Store } from "../../../src/index.ts";
import type { EmailContext } from "./types.ts";

/** What was asked for a moment ago. */
export interface Requests {
  /**
   * Does what a request asks for, unless the same request was delivered before: then its outcome is
   * awaited, or known. `work` answers where to go instead, if anywhere.
   */
  once(
    ctx: EmailContext,
    address: string,
    work: () => Promise<string | undefined>,
  ): Promise<string | undefined>;
  /** The link was used: who asks next in this browser begins anew. */
  forget(ctx: EmailContext, address: string): Promise<void>;
}

/** Milliseconds in which a proxy, a browser or a second click delivers a request again. */
const WINDOW = 30_000;
/** Milliseconds between looks at another process that was first. */
const PATIENCE = [50, 100, 200, 400, 800];
const MAX_REQUESTS = 10_000;

// Each answer brings a new check cookie: who asks again on purpose sends another request.
function checkOf({ cookies }: EmailContext): string {
  return cookies.get(cookies.spec("emailCheck").name) ?? "";
}

async function nameOf(
  { cookies, provider }: EmailContext,
  check: string,
  address: string,
): Promise<string | undefined> {
  const csrf = cookies.get(cookies.spec("csrfToken").name);
  return csrf && sha256Base64url(JSON.stringify([provider.id, csrf, check, address]));
}

/**
 * Makes the memory of requests: in this process, and in the store if there is one. There, `false` is
 * kept while a process is at it, which may die; `true` when the mail is out.
 */
export function createRequests(kernel: Kernel, shelf: Store<boolean>): Requests {
  const known = createCache<Promise<string | undefined>>({ max: MAX_REQUESTS, ttl: WINDOW });

  // A store that is down must not keep everybody out.
  const tolerant = async <T>(call: Promise<T>): Promise<T | undefined> => {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof PluginError)) kernel.logger.error(error as Error);
      return undefined;
    }
  };

  // Waits for whoever was first. Who is not done by then is dead, or so slow that a second mail is the
  // smaller evil: both links work.
  const isDone = async (name: string): Promise<boolean> => {
    for (const pause of PATIENCE) {
      const mark = await tolerant(shelf.get(name));
      if (mark !== false) return mark === true;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    return false;
  };

  const attempt = async (name: string, work: () => Promise<string | undefined>) => {
    let isSent = true;
    try {
      const isFirst = await tolerant(shelf.putIfAbsent(name, false, { ttl: WINDOW }));
      if (isFirst === false && (await isDone(name))) return undefined;
      isSent = false;
      const elsewhere = await work();
      isSent = elsewhere === undefined;
      if (isSent) await tolerant(shelf.put(name, true, { ttl: WINDOW }));
      return elsewhere;
    } finally {
      // What came to nothing may be tried again at once.
      if (!isSent) {
        known.delete(name);
        await tolerant(shelf.delete(name));
      }
    }
  };

  return {
    async once(ctx, address, work) {
      const name = await nameOf(ctx, checkOf(ctx), address);
      if (name === undefined) return work();
      const before = known.get(name);
      if (before) return before;
      const outcome = attempt(name, work);
      known.set(name, outcome);
      return outcome;
    },
    async forget(ctx, address) {
      // As before the first request: a browser whose link was used has no check cookie either.
      const name = await nameOf(ctx, "", address);
      if (name === undefined) return;
      known.delete(name);
      await tolerant(shelf.delete(name));
    },
  };
}
