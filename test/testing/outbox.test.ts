import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { nodemailerPlugin } from "../../plugins/providers/nodemailer.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { createClock, createOutbox, createTestAuth } from "../../src/testing/testing.ts";

const ADA = "ada@example.com";
const plugins = () => [memoryStore(), storeAdapter()];

describe("createOutbox()", () => {
  it("an e-mail sign-in takes two lines", async () => {
    const outbox = createOutbox();
    const { browser } = createTestAuth(createAuth, {
      providers: [outbox.provider()],
      plugins: plugins(),
    });
    await browser.signIn("email", { email: ADA });
    await browser.get(outbox.last(ADA).url);
    expect(await browser.session()).toMatchObject({ user: { email: ADA } });
    expect(outbox.last().mail.subject).toContain("localhost:3000");
  });

  it("outbox.last() returns the last e-mail to the address", async () => {
    const outbox = createOutbox();
    const { openBrowser } = createTestAuth(createAuth, {
      providers: [outbox.provider({ id: "link", maxAge: 60 })],
      plugins: plugins(),
    });
    using clock = createClock();
    const [ada, eve] = [openBrowser(), openBrowser()];
    await ada.signIn("link", { email: ADA });
    await eve.signIn("link", { email: "eve@example.com" });
    expect(outbox.mails).toHaveLength(2);
    expect(outbox.last().identifier).toBe("eve@example.com");
    expect(outbox.last(ADA).expires.getTime()).toBe(clock.now + 60_000);
    clock.advance("61 seconds");
    await ada.get(outbox.last(ADA).url);
    expect(await ada.session()).toBeNull();
  });

  it("outbox.last() throws if there is no e-mail, and lists the recipients", () => {
    const outbox = createOutbox();
    expect(() => outbox.last()).toThrow("No e-mail was sent. Sent: none.");
    outbox.mails.push({ identifier: ADA } as (typeof outbox.mails)[number]);
    expect(() => outbox.last("eve@example.com")).toThrow(
      "No e-mail was sent to eve@example.com. Sent: ada@example.com.",
    );
  });

  it("sendVerificationRequest keeps the e-mails of any provider", async () => {
    const outbox = createOutbox();
    const { sendVerificationRequest } = outbox;
    const { browser } = createTestAuth(createAuth, {
      providers: [nodemailerPlugin({ from: "app@example.com", sendVerificationRequest })],
      plugins: plugins(),
    });
    await browser.signIn("nodemailer", { email: ADA });
    expect(outbox.last(ADA).mail.from?.address).toBe("app@example.com");
  });
});
