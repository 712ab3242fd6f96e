import { type Browser, type BrowserContext, chromium } from "playwright-core";

/** Set by the configuration of vitest, which looks for it. */
const executablePath = process.env.CHROMIUM;

/** Whether the browser tests are skipped. On CI a missing browser is a failure. */
export const isLeftOut = !executablePath && !process.env.CI;
if (isLeftOut) console.warn("no chromium found: nothing is tested in a browser");

/** Starts a browser, with switches besides the usual ones. */
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
 * Closes contexts. Chromium sometimes never confirms the end of one whose page is navigating; it ends with
 * the browser then.
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
