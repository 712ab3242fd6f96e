import { describe, expect, it } from "vitest";
import { rateLimit, type RateLimitOptions } from "../../plugins/security/rate-limit.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { minimalPreset } from "../../presets/minimal.ts";
import { defineStore } from "../../src/kernel.ts";
import { createBrowser, createClock } from "../../src/testing/testing.ts";
import { acme, identityFlow, locationOf, ORIGIN } from "../_app.ts";
import { ADA, createMailApp, type MailApp, type MailAppOptions } from "../flows/_mail.ts";
import { client, HERE, THERE } from "./_limits.ts";

const SENT = "/auth/verify-request?provider=mail&type=email";

const limit = (rules: RateLimitOptions["rules"]) => rateLimit(rules ? { rules } : {});
const create = (rules: RateLimitOptions["rules"], options: MailAppOptions = {}) =>
  createMailApp({ use: [limit(rules)], ...options });

/** Requests a link from the client with an address. */
async function ask(app: MailApp, ip: string, email: string): Promise<string> {
  const browser = createBrowser(
    async (request) => (await app.auth.handle(request, { ip })) as Response,
    { origin: ORIGIN },
  );
  return locationOf(await browser.signIn("mail", { email }));
}

describe("requests for links by e-mail", () => {
  it("by default ten e-mails go to one address in 15 minutes, and the response stays the same", async () => {
    using clock = createClock();
    const app = create({});
    const responses: unknown[] = [];
    for (let at = 0; at < 14; at++) {
      const email = at % 2 ? ADA.toUpperCase() : ` ${ADA} `;
      const response = await app.openBrowser().signIn("mail", { email, callbackUrl: "/inbox" });
      const cookies = response.headers.getSetCookie().map((one) => one.replace(/=[^;]*/, ""));
      const headers = [...response.headers].filter(([name]) => name !== "set-cookie");
      responses.push(JSON.stringify([response.status, headers, cookies, await response.text()]));
      expect(response.headers.getSetCookie().join()).toContain("authjs.email-check=ey");
    }
    expect(new Set(responses).size).toBe(1);
    expect(app.mails).toHaveLength(10);
    expect(app.log.warnings).toEqual(["rate-limited"]);
    await app.requestLink("other@example.com");
    expect(app.mails).toHaveLength(11);
    clock.advance("15 minutes");
    await app.requestLink();
    expect(app.mails).toHaveLength(12);
  });

  it("by default one client requests a hundred e-mails in 15 minutes, for all addresses", async () => {
    const app = create({});
    for (let at = 0; at < 105; at++)
      expect(await ask(app, HERE, `user-${at}@example.com`)).toBe(SENT);
    expect(app.mails).toHaveLength(100);
    expect(await ask(app, THERE, ADA)).toBe(SENT);
    expect(app.mails).toHaveLength(101);
  });

  it("a locked request does no work: it looks up no user and stores no token", async () => {
    const app = create({ "email-account": { max: 1 } });
    await app.requestLink();
    app.adapter.calls.length = 0;
    await app.requestLink();
    expect(app.adapter.calls).toEqual([]);
    expect(app.adapter.tokens.size).toBe(1);
  });

  it("known and unknown addresses are locked alike", async () => {
    const app = create({ "email-account": { max: 1 } });
    await app.requestLink();
    await app.followLink();
    const describeResponse = async (email: string) => {
      const browser = app.openBrowser();
      await browser.signIn("mail", { email });
      const response = await app.openBrowser().signIn("mail", { email });
      return [response.status, response.headers.get("location"), [...response.headers.keys()]];
    };
    expect(await describeResponse(ADA)).toEqual(await describeResponse("eve@example.com"));
  });

  it("the link of a locked address still signs in", async () => {
    const app = create({ "email-account": { max: 1 } });
    await app.requestLink();
    await app.openBrowser().signIn("mail", { email: ADA });
    expect(locationOf(await app.followLink())).toBe("/");
    expect(await app.browser.session()).toMatchObject({ user: { email: ADA } });
  });

  it("an e-mail that could not be sent does not count for the address", async () => {
    let isDown = true;
    const app = create(
      { "email-account": { max: 1 } },
      {
        mail: {
          sendVerificationRequest(request) {
            if (isDown) throw new Error("550");
            app.mails.push(request);
          },
        },
      },
    );
    for (let at = 0; at < 5; at++)
      expect(locationOf(await app.browser.signIn("mail", { email: ADA }))).toContain(
        "EmailSignInError",
      );
    isDown = false;
    await app.requestLink();
    expect(app.mails).toHaveLength(1);
    expect(app.log.errors.map(({ type }) => type)).toEqual(
      Array.from({ length: 5 }, () => "EmailSignInError"),
    );
  });

  it("sign-ins with providers of another type do not count", async () => {
    const mails: string[] = [];
    const app = createMailApp({
      use: [
        limit({ "email-client": { max: 1 } }),
        identityFlow(() => ({ user: { id: "eve", name: "Eve" } })),
      ],
      providers: [
        acme(),
        {
          id: "mail",
          name: "Mail",
          type: "email",
          sendVerificationRequest: ({ identifier }) => void mails.push(identifier),
        },
      ],
    });
    const send = async (request: Request) =>
      (await app.auth.handle(request, { ip: HERE })) as Response;
    for (let at = 0; at < 3; at++) {
      await createBrowser(send, { origin: ORIGIN }).signIn("acme");
    }
    expect(await ask(app, HERE, ADA)).toBe(SENT);
    expect(mails).toEqual([ADA]);
  });

  it("a limit of opened links is reported as a limit, not as a sent e-mail", async () => {
    const app = create({
      opened: { route: "GET /callback/:provider", type: "email", by: "client", max: 1, window: 60 },
    });
    const open = async () => {
      const request = new Request(`${ORIGIN}/auth/callback/mail?email=${ADA}&token=x`);
      return locationOf((await app.auth.handle(request, { ip: HERE })) as Response);
    };
    await open();
    expect(await open()).toContain("error=TooManyAttempts");
  });

  it("an invalid address is reported as usual, and counts only for the client", async () => {
    const app = create({ "email-client": { max: 3 }, "email-account": { max: 1 } });
    for (let at = 0; at < 2; at++)
      expect(await ask(app, HERE, "not an address")).toContain("EmailSignInError");
    expect(await ask(app, HERE, ADA)).toBe(SENT);
    expect(await ask(app, HERE, "eve@example.com")).toBe(SENT);
    expect(app.mails.map(({ identifier }) => identifier)).toEqual([ADA]);
    expect(app.log.errors).toEqual([]);
  });

  it("the address is the one that `normalizeIdentifier` returns", async () => {
    const normalizeIdentifier = (text: string) => text.toLowerCase().replace(/\+[^@]*/, "");
    const app = create({ "email-account": { max: 2 } }, { mail: { normalizeIdentifier } });
    for (const tag of ["+a", "+b", "+c", ""]) await app.requestLink(`ada${tag}@example.com`);
    expect(app.mails).toHaveLength(2);
  });

  it("applications that share a store share the limits, and no address is in a key", async () => {
    const entries = new Map<string, unknown>();
    const make = () =>
      create({ "email-account": { max: 2 } }, { plugins: [defineStore(memoryBackend(entries))] });
    const [one, other] = [make(), make()];
    for (const app of [one, other, one, other]) await app.requestLink();
    expect([one.mails.length, other.mails.length]).toEqual([1, 1]);
    // Not "ada", which the digits of a hash may spell.
    expect(JSON.stringify([...entries])).not.toContain("ada@");
  });

  it("rateLimit(false) lifts the limits of e-mails, but not those of short tokens", async () => {
    const app = createMailApp({
      use: [rateLimit(false)],
      errors: "allowed",
      mail: { generateVerificationToken: () => "123456", confirm: "never" },
    });
    for (let at = 0; at < 15; at++) await app.requestLink();
    expect(app.mails).toHaveLength(15);
    const link = await app.requestLink();
    for (let at = 0; at < 15; at++)
      await app.openBrowser().get(link.replace("123456", String(200_000 + at)));
    expect(app.adapter.calls.filter((name) => name === "useVerificationToken")).toHaveLength(10);
  });

  it("`attempts` limits, or stops limiting, the tokens that are tried for one address", async () => {
    const guess = async (attempts: { max: number; window: number } | false) => {
      const app = createMailApp({
        errors: "allowed",
        mail: { generateVerificationToken: () => "123456", confirm: "never", attempts },
      });
      const link = await app.requestLink();
      for (let at = 0; at < 15; at++)
        await app.openBrowser().get(link.replace("123456", String(200_000 + at)));
      return app.adapter.calls.filter((name) => name === "useVerificationToken").length;
    };
    expect(await guess({ max: 3, window: 60 })).toBe(3);
    expect(await guess(false)).toBe(15);
  });

  it("the minimal preset has the limits of e-mails with an e-mail provider", async () => {
    const preset = minimalPreset;
    const app = createMailApp({ preset, providers: [], errors: "allowed" });
    app.auth.use((await import("../../plugins/flows/email.ts")).emailFlow());
    app.auth.use({
      name: "mail",
      setup: (kernel) =>
        kernel.addProvider({
          id: "mail",
          name: "Mail",
          type: "email",
          sendVerificationRequest: (request: (typeof app.mails)[number]) =>
            void app.mails.push(request),
        } as never),
    });
    for (let at = 0; at < 12; at++) await ask(app, client(at), ADA);
    expect(app.mails).toHaveLength(10);
  });
});
