interface RequestContext {
  get?(): { waitUntil?(work: Promise<unknown>): void } | undefined;
}

const CONTEXT = Symbol.for("@next/request-context");

/**
 * Returns a `waitUntil` by what the platform states to Next.js, as `after()` does: Vercel and others end a function with
 * its response. A server of Node needs none.
 */
export function createWaitUntil(): (work: Promise<unknown>) => void {
  const context = (globalThis as { [CONTEXT]?: RequestContext })[CONTEXT]?.get?.();
  return (work) => context?.waitUntil?.(work);
}
