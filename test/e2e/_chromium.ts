import { spawnSync } from "node:child_process";
import { type Browser, type BrowserContext, chromium } from "playwright-core";

export const executablePath =
  process.env.CHROMIUM ||
  spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();

/** Whether the browser tests are skipped. On CI a missing browser is a failure. */
export const isLeftOut = !executablePath && !process.env.CI;
if (isLeftOut) console.warn("no chromium found: nothing is tested in a browser");

export function launch(): Promise<Browser> {
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
