import { expect, it } from "vitest";
import type { AccountData } from "../../plugins/pages/account.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import type { StoreBackend } from "../../src/kernel.ts";
import { locationOf } from "../_app.ts";
import {
  allow,
  createNativeTest,
  DEVICE_GRANT,
  getToken,
  type NativeOptions,
  type NativeTest,
  poll,
  redemption,
  signIn,
  startDevice,
  submitForm,
  type TokenResponse,
  typeCode,
} from "../security/_native-apps.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

const defer = () => {
  let resolve = () => {};
  const promise = new Promise<void>((done) => void (resolve = done));
  return { promise, resolve };
};

const OTHER = "http://other.example";

async function open(options: NativeOptions = {}): Promise<NativeTest> {
  const test = createNativeTest({ strategy: "database", ...options });
  await signIn(test.web.browser);
  return test;
}

const getCode = async ({ web }: NativeTest) =>
  (await allow(web.browser)).searchParams.get("code") ?? "";

const redeem = async (test: NativeTest, fields: Record<string, string>) =>
  (await (await test.post("/auth/token", fields)).json()) as TokenResponse;

async function countSessions({ web }: NativeTest): Promise<number> {
  const headers = { accept: "application/json" };
  const page = await web.browser.get("/auth/account", { headers });
  return ((await page.json()) as { data: AccountData }).data.sessions.length;
}

it("tries with a made-up secret do not reveal which user codes are live", async () => {
  const test = await open();
  const { user_code: code } = await startDevice(test);
  const answers = await Promise.all(
    [code.replace("-", ""), "BBBBBBBB"].map(async (userCode) => {
      const device_code = userCode + "A".repeat(43);
      const fields = { grant_type: DEVICE_GRANT, client_id: "cli", device_code };
      const response = await test.post("/auth/token", fields);
      return [response.status, await response.text()];
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]?.[1]).toContain("expired_token");
});

it("a wrong verifier after the right one does not hide a second use of the code", async () => {
  const test = await open();
  const code = await getCode(test);
  const { access_token: token } = await redeem(test, redemption(code));
  const wrong = redemption(code, { code_verifier: "x".repeat(43) });
  expect(await redeem(test, wrong)).toEqual({ error: "invalid_grant" });
  expect(await test.session(token)).toMatchObject({ user: { name: "Ada" } });
  expect(await redeem(test, redemption(code))).toEqual({ error: "invalid_grant" });
  expect(await test.session(token)).toBeNull();
});

it("a second use finds the session of the first on a backend without `take`, in either order", async () => {
  const { take: _, ...inner } = memoryBackend();
  let hold: (() => Promise<void>) | undefined;
  const pause = async () => {
    const held = hold;
    hold = undefined;
    await held?.();
  };
  const store: StoreBackend = {
    ...inner,
    async putIfAbsent(key, ...rest) {
      if (key.includes("native-app-grants")) await pause();
      return inner.putIfAbsent(key, ...rest);
    },
    async compareAndSet(key, ...rest) {
      if (key.includes("native-app-grants")) await pause();
      return inner.compareAndSet(key, ...rest);
    },
  };
  const test = await open({ store, record: true });
  const code = await getCode(test);
  const first = defer();
  let second: Promise<TokenResponse> | undefined;
  test.web.gate = async (method) => {
    if (method !== "createSession" || second) return;
    const reached = defer();
    hold = () => {
      reached.resolve();
      return first.promise;
    };
    second = redeem(test, redemption(code));
    await reached.promise;
  };
  const { access_token: token } = await redeem(test, redemption(code));
  first.resolve();
  expect(await second).toEqual({ error: "invalid_grant" });
  expect(token).toBeTypeOf("string");
  expect(await test.session(token)).toBeNull();
});

it("a session that cannot be recorded with its grant ends, and the error is reported", async () => {
  const inner = memoryBackend();
  const store: StoreBackend = {
    ...inner,
    compareAndSet: (key, expected, value, expires) => {
      const isNote = key.includes("native-app-grants") && value.includes('"token"');
      if (isNote) throw new Error("The store is away.");
      return inner.compareAndSet(key, expected, value, expires);
    },
  };
  const test = await open({ store });
  const code = await getCode(test);
  expect((await test.post("/auth/token", redemption(code))).status).toBeGreaterThan(499);
  test.web.log.expectErrors("StoreError");
  expect(await countSessions(test)).toBe(1);
});

it("an app's code is redeemed, and a device's code approved, only at the origin that issued it", async () => {
  const test = await open({ trustHost: true });
  const { web } = test;
  const code = await getCode(test);
  const send = async (fields: Record<string, string>) => {
    const body = new URLSearchParams(fields);
    const request = new Request(`${OTHER}/auth/token`, { method: "POST", body });
    return (await (await web.auth.fetch(request)).json()) as TokenResponse;
  };
  expect(await send(redemption(code))).toEqual({ error: "invalid_grant" });
  const body = new URLSearchParams({ client_id: "cli" });
  const start = new Request(`${OTHER}/auth/device-authorization`, { method: "POST", body });
  const device = (await (await web.auth.fetch(start)).json()) as { user_code: string };
  expect(locationOf(await typeCode(web.browser, device.user_code))).toBe(
    "/auth/device?error=InvalidUserCode",
  );
});

it("write access to the store does not allow moving a user's approval to another grant", async () => {
  const inner = memoryBackend();
  let stolen: string | undefined;
  const swap = (value: string) => {
    const consent = /"consent":"([^"]+)"/.exec(value)?.[1];
    if (consent === undefined) return value;
    stolen ??= consent;
    return value.replace(consent, stolen);
  };
  const store: StoreBackend = {
    ...inner,
    putIfAbsent: (key, value, expires) => inner.putIfAbsent(key, swap(value), expires),
    compareAndSet: (key, expected, value, expires) =>
      inner.compareAndSet(key, expected, swap(value), expires),
  };
  const test = await open({ store });
  await getCode(test);
  expect(await redeem(test, redemption(await getCode(test)))).toEqual({ error: "invalid_grant" });
  const device = await startDevice(test);
  await submitForm(test.web.browser, await typeCode(test.web.browser, device.user_code));
  expect(await poll(test, device)).toEqual({ error: "invalid_grant" });
  expect(stolen).toBeTypeOf("string");
});

it("an app's session may replace the browser's if a user may have only one", async () => {
  for (const strategy of ["database", "hybrid"]) {
    const test = await open({ strategy, session: { maxPerUser: 1 } });
    const { access_token: token } = await getToken(test);
    expect(await test.session(token)).toMatchObject({ user: { name: "Ada" } });
  }
});
