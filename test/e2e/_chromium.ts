import { type Browser, type BrowserContext, chromium } from "playwright-core";

/** Set by the vitest configuration, which searches for Chromium. */
const executablePath = process.env.CHROMIUM;

/** Whether the browser tests are skipped. On CI a missing browser is a failure. */
export const isLeftOut = !executablePath && !process.env.CI;
if (isLeftOut) console.warn("no chromium found: nothing is tested in a browser");

/** Starts a browser with additional switches. */
export function launch(...args: readonly string[]): Promise<Browser> {
  if (!executablePath) throw new Error("chromium is needed on CI");
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...args,
    ],
  });
}

const CLOSE_TIMEOUT_MS = 10_000;

/**
 * Closes contexts. Chromium sometimes never confirms closing a context whose page is navigating. Such a context ends
 * with the browser.
 */
export async function closeAll(contexts: readonly BrowserContext[]): Promise<void> {
  for (const context of contexts) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([context.close(), waited]);
    clearTimeout(timer);
  }
}
