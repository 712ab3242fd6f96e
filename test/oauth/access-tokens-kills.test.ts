import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import type { StoreBackend } from "../../src/kernel.ts";
import { createClock } from "../../src/testing/testing.ts";
import type { Idp } from "../_idp.ts";
import { createAccident, type Fault } from "../adapters/kills/_accident.ts";
import { openBackend } from "../stores/_open.ts";
import { createRefreshApp, isAccepted, startRotating } from "./_refresh-app.ts";
import type { RefreshOrder } from "./_refresh-victim.ts";

const VICTIM = fileURLToPath(new URL("_refresh-victim.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "keyhook-refresh-kills-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let idp: Idp;
/** Refresh requests that the provider has granted, and refused. */
let granted = 0;
let refused = 0;
beforeAll(async () => {
  idp = await startRotating();
  idp.provider.on("grant.success", ({ oidc }) => {
    if (oidc.params?.grant_type === "refresh_token") granted++;
  });
  idp.provider.on("grant.error", () => void refused++);
});
afterAll(() => idp.close());

/** How far a process can get: the steps of a refresh that another caller can distinguish, in order. */
const STEPS = [
  "before the lock",
  "with the lock",
  "after the response",
  "with the outcome",
  "ended",
] as const;
type Step = (typeof STEPS)[number];

async function listKeys(backend: StoreBackend, namespace: string): Promise<string[]> {
  return [...(await backend.scan(`${namespace}.`, { limit: 100 })).keys];
}

async function readStep(backend: StoreBackend): Promise<Step> {
  if ((await listKeys(backend, "refreshed-tokens")).length) {
    return (await listKeys(backend, "refresh-locks")).length ? "with the outcome" : "ended";
  }
  if (granted) return "after the response";
  return (await listKeys(backend, "refresh-locks")).length ? "with the lock" : "before the lock";
}

const ANY_TEXT: unknown = expect.any(String);

/**
 * What callers in another process get after a process was killed: a valid token, or the typed error
 * that the README documents. The provider never grants one refresh token twice, and a lock lasts at
 * most its 30 seconds.
 */
async function recover(backend: StoreBackend, cookie: string): Promise<Step> {
  using clock = createClock();
  const step = await readStep(backend);
  const { call } = createRefreshApp(backend, idp.issuer);
  const locked = step === "with the lock" || step === "after the response";
  if (locked) {
    // A caller waits for the process that has the lock, and gives up.
    const waiting = call({ cookie });
    await expect.poll(async () => (await listKeys(backend, "refresh-locks")).length).toBe(1);
    const timer = setInterval(() => clock.advance("1 second"), 20);
    expect(await waiting).toEqual({ error: "TokenRefreshFailed", reason: ANY_TEXT, events: [] });
    clearInterval(timer);
    clock.advance("31 seconds");
  }
  const before = granted;
  const answer = await call({ cookie });
  if (step === "after the response") {
    // The provider has issued tokens that no process received. It gets the old refresh token again,
    // and decides.
    expect(answer).toEqual({
      error: "RefreshTokenRejected",
      reason: ANY_TEXT,
      events: ["refreshTokenRejected"],
    });
    expect([granted, refused]).toEqual([1, 1]);
    // The refresh token is never sent again.
    clock.advance("1 hour");
    expect(await call({ cookie })).toEqual({
      error: "AccessTokenExpired",
      reason: ANY_TEXT,
      events: [],
    });
    expect([granted, refused]).toEqual([1, 1]);
    return step;
  }
  expect(answer.error).toBeUndefined();
  expect(await isAccepted(idp, answer.token)).toBe(true);
  const isKept = step === "with the outcome" || step === "ended";
  expect(answer.events).toEqual(isKept ? [] : ["tokensRefreshed"]);
  expect(granted).toBe(before + (isKept ? 0 : 1));
  // The tokens are stored: they no longer depend on the grace period.
  clock.advance("20 minutes");
  expect((await call({ cookie })).token).toBe(answer.token);
  expect([granted, refused]).toEqual([1, 0]);
  return step;
}

let logins = 0;

async function prepare(backend: StoreBackend): Promise<string> {
  const { signIn, expire } = createRefreshApp(backend, idp.issuer);
  const { cookie, userId } = await signIn(idp, `user-${++logins}`);
  await expire(userId);
  granted = 0;
  refused = 0;
  return cookie;
}

describe("a process that ends during a refresh", () => {
  // The operations of a stopped process never settle: its next step does not happen.
  async function end(at: number, fault: Fault): Promise<Step | undefined> {
    const backend = memoryBackend();
    const cookie = await prepare(backend);
    const accident = createAccident();
    const victim = createRefreshApp(accident.wrap(backend, { isOver: false }), idp.issuer);
    accident.arm(at, fault);
    const ended = await Promise.race([accident.died, victim.call({ cookie })]);
    return ended ? undefined : recover(backend, cookie);
  }

  it.each(["kill", "midway"] as const)(
    "leaves a valid token, or the documented error, whichever store operation was its last (%s)",
    { timeout: 60_000 },
    async (fault) => {
      const steps: Step[] = [];
      for (let at = fault === "kill" ? 0 : 1; at < 100; at++) {
        const step = await end(at, fault);
        if (!step) break;
        steps.push(step);
      }
      // Each outcome occurs, in this order: a process that got further never leaves an earlier one.
      expect([...new Set(steps)]).toEqual(STEPS);
      expect(steps.map((step) => STEPS.indexOf(step))).toEqual(
        steps.map((step) => STEPS.indexOf(step)).toSorted((one, other) => one - other),
      );
    },
  );
});

describe("a process that is killed during a refresh (SIGKILL)", () => {
  async function kill(when: RefreshOrder["when"]): Promise<Step> {
    const setting = { backend: "sqlite", place: join(folder, `${when}.db`) } as const;
    const { backend, close } = await openBackend(setting);
    try {
      const cookie = await prepare(backend);
      const order: RefreshOrder = { ...setting, issuer: idp.issuer, cookie, when };
      const child = spawn(process.execPath, [VICTIM, JSON.stringify(order)], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      const exit = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
      expect([await exit, await text(child.stderr)]).toEqual(["SIGKILL", ""]);
      return await recover(backend, cookie);
    } finally {
      await close();
    }
  }

  it.each<[when: RefreshOrder["when"], step: Step]>([
    ["before the request", "with the lock"],
    ["after the response", "after the response"],
    ["after the outcome", "with the outcome"],
    ["after the account", "with the outcome"],
  ])(
    "%s leaves a valid token, or the documented error",
    { timeout: 60_000 },
    async (when, step) => {
      expect(await kill(when)).toBe(step);
    },
  );
});
