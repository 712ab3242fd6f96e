/**
 * Returns whether this is a Cloudflare Worker. With `nodejs_compat`, it has `process` and its members, but creating
 * them takes longer than the boot. `navigator` would also tell, but takes Node a while.
 */
export function isWorker(): boolean {
  return "WebSocketPair" in globalThis;
}
