import { spawnSync } from "node:child_process";
import { type Browser, chromium } from "playwright-core";

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
