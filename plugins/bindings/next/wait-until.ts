interface RequestContext {
  get?(): { waitUntil?(work: Promise<unknown>): void } | undefined;
}

const CONTEXT = Symbol.for("@next/request-context");

/**
 * Returns a `waitUntil` that uses what the platform provides to Next.js, like `after()`: Vercel and others end a
 * function with its response. A Node server needs none.
 */
export function createWaitUntil(): (work: Promise<unknown>) => void {
  const context = (globalThis as { [CONTEXT]?: RequestContext })[CONTEXT]?.get?.();
  return (work) => context?.waitUntil?.(work);
}
