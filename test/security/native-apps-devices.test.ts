import { describe, expect, it, vi } from "vitest";
import { locationOf, ORIGIN } from "../_app.ts";
import {
  createNativeTest,
  type NativeOptions,
  type NativeTest,
  poll,
  readForm,
  signIn,
  startDevice,
  submitForm,
  typeCode,
} from "./_native-apps.ts";

const STRATEGIES = ["jwt", "database", "hybrid"];

async function open(options: NativeOptions = {}): Promise<NativeTest> {
  const test = createNativeTest(options);
  await signIn(test.web.browser);
  return test;
}

const readMessage = async (response: Response) =>
  /class="(?:error|info) message"[^>]*>([^<]*)</.exec(await response.text())?.[1];

describe.each(STRATEGIES)("a device signs in under the strategy %s", (strategy) => {
  it("the user types the code, sees which app asks, and allows it", async () => {
    const test = await open({ strategy });
    const { browser } = test.web;
    const device = await startDevice(test);
    expect(device).toEqual({
      device_code: expect.stringMatching(/^[B-Z]{8}[\w-]{43}$/) as string,
      user_code: expect.stringMatching(
        /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/,
      ) as string,
      verification_uri: `${ORIGIN}/auth/device`,
      verification_uri_complete: `${ORIGIN}/auth/device?user_code=${device.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(await poll(test, device)).toEqual({ error: "authorization_pending" });
    const asked = await typeCode(browser, device.user_code.toLowerCase().replace("-", " "));
    const html = await asked.clone().text();
    expect(html).toContain("Acme CLI wants to sign in as ada@example.com.");
    expect(html).toContain(device.user_code);
    expect(html).toContain("If someone sent you the code, deny");
    const done = await submitForm(browser, asked);
    expect(await readMessage(done)).toContain("signed in on your device");
    const { access_token: token, token_type: type } = await poll(test, device);
    expect(type).toBe("Bearer");
    expect(await test.session(token)).toMatchObject({ user: { name: "Ada" } });
    // The code works once: the second use ends the session that the first use created.
    expect(await poll(test, device)).toEqual({ error: "invalid_grant" });
    if (strategy === "jwt") return;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
    expect(await test.session(token)).toBeNull();
  });
});

it("a device that the user denies gets no token, and the code is used up", async () => {
  const test = await open();
  const { browser } = test.web;
  const device = await startDevice(test);
  const done = await submitForm(browser, await typeCode(browser, device.user_code), { deny: "1" });
  expect(await readMessage(done)).toContain("denied");
  expect(await poll(test, device)).toEqual({ error: "access_denied" });
  expect(locationOf(await typeCode(browser, device.user_code))).toBe(
    "/auth/device?error=InvalidUserCode",
  );
});

it("a device that polls too often gets `slow_down`, and a device that waits does not", async () => {
  const test = await open();
  const device = await startDevice(test);
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now });
  expect(await poll(test, device)).toEqual({ error: "authorization_pending" });
  expect(await poll(test, device)).toEqual({ error: "slow_down" });
  for (let at = 1; at < 4; at++) {
    vi.setSystemTime(now + at * 5000);
    expect(await poll(test, device)).toEqual({ error: "authorization_pending" });
  }
});

it("codes expire after ten minutes, for the device and for the user", async () => {
  const test = await open();
  const device = await startDevice(test);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 601_000 });
  expect(await poll(test, device)).toEqual({ error: "expired_token" });
  expect(locationOf(await typeCode(test.web.browser, device.user_code))).toBe(
    "/auth/device?error=InvalidUserCode",
  );
});

it("a client that guesses codes is locked after ten, also for the right code; other clients are not", async () => {
  const test = await open();
  const { browser } = test.web;
  const device = await startDevice(test);
  for (let at = 0; at < 10; at++) {
    const wrong = `BBBB-BBB${"CDFGHJKLMN"[at]}`;
    expect(locationOf(await typeCode(browser, wrong))).toBe("/auth/device?error=InvalidUserCode");
  }
  expect(locationOf(await typeCode(browser, device.user_code))).toBe(
    "/auth/device?error=InvalidUserCode",
  );
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16 * 60_000 });
  const later = await startDevice(test);
  expect((await typeCode(browser, later.user_code)).status).toBe(200);
});

it("right codes are not counted, however many a user enters", async () => {
  const test = await open();
  const { browser } = test.web;
  for (let at = 0; at < 15; at++) {
    const device = await startDevice(test);
    expect((await submitForm(browser, await typeCode(browser, device.user_code))).status).toBe(200);
  }
});

it("a link with the code fills in the field, but neither looks up nor allows anything", async () => {
  const test = await open();
  const { browser } = test.web;
  const device = await startDevice(test);
  const path = device.verification_uri_complete.replace(ORIGIN, "");
  const html = await (await browser.get(path)).text();
  expect(html).toContain(`value="${device.user_code}"`);
  expect(html).not.toContain("Acme CLI");
  expect(readForm(html).action).toBe("/auth/device");
  const odd = await (await browser.get(`/auth/device?user_code=%22%3E%3Cimg%20src=x%3E`)).text();
  expect(odd).not.toContain("<img");
  const signedOut = await test.web.openBrowser().get(path);
  expect(new URL(signedOut.headers.get("location") ?? "").pathname).toBe("/auth/signin");
});

it("an application's own page reads the question and decides by JSON", async () => {
  const test = await open();
  const { browser } = test.web;
  const headers = { accept: "application/json" };
  const device = await startDevice(test);
  const send = async (json: object) => {
    const response = await browser.send("/auth/device", { method: "POST", json, headers });
    return [response.status, await response.json()] as const;
  };
  const code = device.user_code;
  expect(await send({ user_code: "BBBB-BBBB" })).toMatchObject([400, { error: "InvalidUserCode" }]);
  expect(await send({ user_code: code })).toMatchObject([
    200,
    { data: { app: "Acme CLI", user: "ada@example.com", code } },
  ]);
  expect(await send({ user_code: code, allow: "1" })).toMatchObject([
    200,
    { data: { allowed: true } },
  ]);
  expect(await poll(test, device)).toMatchObject({ token_type: "Bearer" });
});

it("only an app with devices gets a device code, and a token for its own code", async () => {
  const test = await open({
    apps: {
      ios: { name: "Acme for iOS", redirectUris: ["com.acme.app:/signed-in"] },
      cli: { name: "Acme CLI", device: true },
      tv: { name: "Acme TV", device: true },
    },
  });
  expect(await startDevice(test, "ios")).toMatchObject({ error: "unauthorized_client" });
  expect(await startDevice(test, "constructor")).toMatchObject({ error: "invalid_client" });
  const { browser } = test.web;
  const device = await startDevice(test);
  await submitForm(browser, await typeCode(browser, device.user_code));
  expect((await poll(test, device, { client_id: "ios" })).error).toBe("unauthorized_client");
  expect((await poll(test, device, { client_id: "tv" })).error).toBe("expired_token");
  const guessed = { device_code: device.user_code.replace("-", "") + "A".repeat(43) };
  expect((await poll(test, guessed)).error).toBe("expired_token");
  expect(await poll(test, device)).toMatchObject({ token_type: "Bearer" });
});

it("of several concurrent decisions for one code, exactly one counts", async () => {
  const test = await open();
  const { browser } = test.web;
  const device = await startDevice(test);
  const pages = await Promise.all([1, 2, 3].map(() => typeCode(browser, device.user_code)));
  const answers = await Promise.all(pages.map((page) => submitForm(browser, page)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

it("a client that starts very many codes is refused for a while", async () => {
  const test = await open({ trustProxy: 1 });
  const headers = { "x-forwarded-for": "192.0.2.1" };
  const start = () => test.post("/auth/device-authorization", { client_id: "cli" }, headers);
  for (let at = 0; at < 50; at++) expect((await start()).status).toBe(200);
  const response = await start();
  expect(response.status).toBe(429);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
});

it("clients without a known address share a higher limit of codes, and a warning reports that", async () => {
  const test = await open({ env: { NODE_ENV: "production", AUTH_URL: ORIGIN } });
  const start = () => test.post("/auth/device-authorization", { client_id: "cli" });
  const statuses: number[] = [];
  for (let at = 0; at < 1001; at++) statuses.push((await start()).status);
  expect(statuses.findIndex((status) => status !== 200)).toBe(1000);
  expect(statuses[1000]).toBe(429);
  const warned = test.web.log.warnings.filter((code) => code === "rate-limit-client");
  expect(warned).toHaveLength(1);
});
