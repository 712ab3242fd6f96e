/**
 * Returns whether this is a Cloudflare Worker. With `nodejs_compat` it has `process` and what that leads to, but to make
 * them takes it longer than to boot. `navigator` would say it too, and takes Node a while.
 */
export function isWorker(): boolean {
  return "WebSocketPair" in globalThis;
}
