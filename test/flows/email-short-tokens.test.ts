import { describe, expect, it } from "vitest";
import type { EmailProvider } from "../../plugins/flows/email/provider.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import type { Adapter, Plugin, StoreBackend } from "../../src/kernel.ts";
import { createClock } from "../../src/testing/testing.ts";
import { createTestAuth, locationOf, type TestAuth } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";

const ADA = "ada@example.com";
const REFUSED = "/auth/error?error=Verification";

const sharing = (backend: StoreBackend): Plugin => ({
  name: "shared",
  setup: (kernel) => kernel.setStore(backend),
});

// Six digits, different each time.
const digits = (start = 100_000) => {
  let code = start;
  return () => String(code++);
};

function createCodeApp(
  mail: Partial<EmailProvider> = {},
  { backend = memoryBackend(), adapter = adapterOn(memoryBackend()) as Adapter, use = true } = {},
): TestAuth {
  return createTestAuth({
    preset: standardPreset,
    errors: "allowed",
    adapter,
    mail: { generateVerificationToken: digits(), confirm: "never", maxAge: 900, ...mail },
    use: use ? [sharing(backend)] : [],
  });
}

const tokenOf = (app: TestAuth, at: number) => app.mails.at(at)?.token ?? "";

const redeem = async (app: TestAuth, token: string, email = ADA) => {
  const query = new URLSearchParams({ email, token });
  return locationOf(await app.openBrowser().get(`/auth/callback/mail?${query}`));
};

describe.each([
  ["with a store", true],
  ["without one", false],
])("codes in e-mails, %s", (_, use) => {
  it("only the newest code of an address is accepted", async () => {
    const app = createCodeApp({}, { use });
    for (const address of [ADA, ADA, "grace@example.com", ADA])
      await app.requestLink(address, app.openBrowser());
    expect(await redeem(app, tokenOf(app, 0))).toBe(REFUSED);
    expect(await redeem(app, tokenOf(app, 1))).toBe(REFUSED);
    expect(await redeem(app, tokenOf(app, 3))).toBe("/");
    expect(await redeem(app, tokenOf(app, 2), "grace@example.com")).toBe("/");
    expect(await redeem(app, tokenOf(app, 3))).toBe(REFUSED);
  });

  it("one of several codes requested at once is accepted", async () => {
    const app = createCodeApp({ attempts: false }, { use });
    await Promise.all(Array.from({ length: 10 }, () => app.requestLink(ADA, app.openBrowser())));
    const outcomes = [];
    for (const { token } of app.mails) outcomes.push(await redeem(app, token));
    expect(outcomes).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome === "/")).toHaveLength(1);
  });

  it("a repeated code, or a failed e-mail, does not leave an address without a code", async () => {
    const same = createCodeApp({ generateVerificationToken: () => "123456" }, { use });
    for (let at = 0; at < 2; at++) await same.requestLink(ADA, same.openBrowser());
    expect(await redeem(same, "123456")).toBe("/");
    let isDown = true;
    const app = createCodeApp(
      {
        sendVerificationRequest() {
          if (isDown) throw new Error("down");
        },
      },
      { use },
    );
    await app.browser.signIn("mail", { email: ADA });
    isDown = false;
    await app.browser.signIn("mail", { email: ADA });
    expect(await redeem(app, "100000")).toBe(REFUSED);
    expect(await redeem(app, "100001")).toBe("/");
  });

  it.each([
    [21, REFUSED],
    [22, "/"],
  ])("an earlier token of %i characters leads to %s", async (length, end) => {
    const next = digits();
    const generateVerificationToken = () => next().padStart(length, "x");
    const app = createCodeApp({ generateVerificationToken }, { use });
    for (let at = 0; at < 2; at++) await app.requestLink(ADA, app.openBrowser());
    expect(await redeem(app, tokenOf(app, 0))).toBe(end);
    expect(await redeem(app, tokenOf(app, 1))).toBe("/");
  });

  it("earlier long tokens stay valid, as in Auth.js", async () => {
    for (const generateVerificationToken of [undefined, () => crypto.randomUUID()]) {
      const app = createCodeApp(
        generateVerificationToken
          ? { generateVerificationToken }
          : { generateVerificationToken: () => "" },
        { use },
      );
      for (let at = 0; at < 2; at++) await app.requestLink(ADA, app.openBrowser());
      expect(await redeem(app, tokenOf(app, 0))).toBe("/");
      expect(await redeem(app, tokenOf(app, 1))).toBe("/");
    }
  });
});

describe("codes in e-mails of several providers and processes", () => {
  it("processes that share a store know each other's newest code", async () => {
    const shared = { backend: memoryBackend(), adapter: adapterOn(memoryBackend()) };
    const one = createCodeApp({ generateVerificationToken: digits(100_000) }, shared);
    const two = createCodeApp({ generateVerificationToken: digits(200_000) }, shared);
    await one.requestLink(ADA, one.openBrowser());
    await two.requestLink(ADA, two.openBrowser());
    expect(await redeem(two, tokenOf(one, 0))).toBe(REFUSED);
    expect(await redeem(one, tokenOf(two, 0))).toBe("/");
  });

  it("one of several codes requested at once in three processes is accepted", async () => {
    const memory = memoryBackend();
    const get = async (key: string) => {
      const value = await memory.get(key);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return value;
    };
    const shared = { backend: { ...memory, get }, adapter: adapterOn(memoryBackend()) };
    const apps = [1, 2, 3].map((at) =>
      createCodeApp({ generateVerificationToken: digits(at * 100_000), attempts: false }, shared),
    );
    const [first] = apps as [TestAuth];
    const requests = Array.from({ length: 9 }, (_, at) => {
      const app = apps[at % 3] as TestAuth;
      return app.requestLink(ADA, app.openBrowser());
    });
    await Promise.all(requests);
    const outcomes = [];
    for (const { token } of apps.flatMap(({ mails }) => mails)) {
      outcomes.push(await redeem(first, token));
    }
    expect(outcomes).toHaveLength(9);
    expect(outcomes.filter((outcome) => outcome === "/")).toHaveLength(1);
  });

  it("a code of one provider replaces a code of another, and is accepted at both", async () => {
    const mails: string[] = [];
    const provider = {
      type: "email",
      confirm: "never",
      maxAge: 900,
      generateVerificationToken: digits(),
      sendVerificationRequest: ({ token }: { token: string }) => void mails.push(token),
    } as const;
    const app = createTestAuth({
      preset: standardPreset,
      errors: "allowed",
      store: memoryBackend(),
      providers: [
        { ...provider, id: "mail", name: "One" },
        { ...provider, id: "other", name: "Other" },
      ],
    });
    await app.browser.signIn("mail", { email: ADA });
    await app.openBrowser().signIn("other", { email: ADA });
    expect(await redeem(app, mails[0] ?? "")).toBe(REFUSED);
    expect(await redeem(app, mails[1] ?? "")).toBe("/");
  });

  it("if the store fails, codes are still sent, and this process knows the newest", async () => {
    const down = () => Promise.reject(new Error("down"));
    const backend: StoreBackend = { ...memoryBackend(), get: down, putIfAbsent: down };
    const app = createCodeApp({}, { backend });
    for (let at = 0; at < 2; at++) await app.requestLink(ADA, app.openBrowser());
    expect(await redeem(app, tokenOf(app, 0))).toBe(REFUSED);
    expect(await redeem(app, tokenOf(app, 1))).toBe("/");
  });

  it("a code is not sent while other requests keep it from replacing the previous one", async () => {
    const entries = new Map<string, { value: string; expires: number }>();
    const backend = memoryBackend(entries);
    // As if a concurrent request had always written in between.
    const compareAndSet: StoreBackend["compareAndSet"] = async (key, ...write) =>
      key.includes("newest") ? false : backend.compareAndSet!(key, ...write);
    const app = createCodeApp({}, { backend: { ...backend, compareAndSet } });
    await app.requestLink(ADA, app.openBrowser());
    await app.openBrowser().signIn("mail", { email: ADA });
    expect(app.mails).toHaveLength(1);
    expect(await redeem(app, "100001")).toBe(REFUSED);
    expect([...entries.keys()].filter((key) => key.includes("newest"))).toHaveLength(1);
  });

  it("the newest code of an address is remembered until it expires", async () => {
    using clock = createClock();
    const entries = new Map<string, { value: string; expires: number }>();
    const app = createCodeApp({}, { backend: memoryBackend(entries) });
    for (let at = 0; at < 2; at++) {
      await app.requestLink(ADA, app.openBrowser());
      const [, newest] = [...entries].find(([key]) => key.includes("newest")) ?? [];
      expect(newest?.expires).toBe(Date.now() + 900_000);
      clock.advance("5 minutes");
    }
  });

  it("a stranger's requests reach their limit before the last code expires", async () => {
    const app = createCodeApp();
    for (let at = 0; at < 30; at++) {
      await app.openBrowser().signIn("mail", { email: ADA });
    }
    // The limit of e-mails also ends the replacing. The last code that arrived is valid for its whole lifetime.
    expect(app.mails.length).toBeLessThanOrEqual(10);
    expect(await redeem(app, tokenOf(app, -1))).toBe("/");
  });
});
