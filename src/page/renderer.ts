import { memoizeAsync } from "../platform/awaitable.ts";
import type { CreateCache } from "../types/cache.ts";
import type { PageRenderer } from "../types/page.ts";

/**
 * Creates a renderer of pages that adds the CSRF token to their forms. The code that renders them is imported on first
 * use.
 */
export function createPageRenderer(createCache: CreateCache): PageRenderer {
  const load = memoizeAsync(async () =>
    (await import("./respond.ts")).createResponder(createCache),
  );
  return async (page, options) => (await load())(page, options);
}
