import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blueskyPlugin } from "../../plugins/providers/bluesky.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { steamPlugin } from "../../plugins/providers/steam.ts";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { secondFactor } from "../../plugins/security/second-factor.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import createAuth from "../../presets/node.ts";
import { definePlugin, defineStore, type Kernel, type Plugin } from "../../src/kernel.ts";
import type { Adapter, AuthConfig, Provider } from "../../src/types.ts";
import { unservedOAuth } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { english, shipped, toForms } from "../pages/_texts.ts";
import { isLeftOut, launch } from "./_chromium.ts";
import { type Picture, readLook, writeSheet } from "./_look.ts";

/** Folder for contact sheets: each page in every language. */
const sheets = process.env.KEYHOOK_SHEETS;

const ADA = "ada@example.com";
const LANGUAGES = [{ tag: "en", messages: english }, ...shipped.map(({ language }) => language)];
const WIDTHS = [320, 390, 1000];
const SCHEMES = ["light", "dark"] as const;
const DRAWINGS = WIDTHS.flatMap((width) => SCHEMES.map((colorScheme) => ({ width, colorScheme })));

const oauth = (id: string, name: string, brandColor?: string): Provider => ({
  ...unservedOAuth(id, name),
  ...(brandColor && { style: { brandColor } }),
});

const MANY = [
  ...[oauth("github", "GitHub"), oauth("google", "Google"), oauth("apple", "Apple")],
  ...[oauth("discord", "Discord"), oauth("slack", "Slack"), oauth("twitch", "Twitch")],
  ...[oauth("asgard", "Asgard", "#ffd400"), oauth("acme", "Acme", "tomato")],
  ...[oauth("notion", "Notion"), oauth("long", "The National Identity Service of Somewhere")],
];

const password = {
  id: "credentials",
  name: "password",
  type: "credentials",
  credentials: { username: { required: true }, password: { type: "password", required: true } },
  authorize: ({ username }) => ({
    id: "ada",
    name: "Ada",
    email: `${String(username)}@example.com`,
  }),
} as Provider;

/** Names that are the same in every language. */
const NAMES = new Set([...MANY.map(({ name }) => name), "Ada Lovelace", ADA]);

/** An error type for each text, and one that no plugin registered. */
function listErrors(errors: Kernel["errors"]): string[] {
  const types = new Map([...errors].map(([type, { text }]) => [text, type]));
  return [...types.values(), "unknown"];
}

interface Site {
  origin: string;
  page: Page;
  adapter: Required<Adapter>;
  /** The public errors of every plugin. */
  errors(): Kernel["errors"];
  /** Returns the last link that was sent. */
  link(): string;
  /** Returns the HTML of the last e-mail that was sent. */
  mail(): string;
  /** Switches the visitor's language. */
  speak(tag: string): Promise<void>;
}

// CI renders in parallel with other tests, within the remaining time.
const timeout = 600_000;

describe.skipIf(isLeftOut)("look of the built-in pages in every language", () => {
  let browser: Browser;
  const servers: Server[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) server.close();
  });

  async function start(config: AuthConfig, ...plugins: Plugin[]): Promise<Site> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    const backend = memoryBackend();
    const adapter = adapterOn(backend) as Required<Adapter>;
    let sent: { readonly url: string; readonly mail: { readonly html: string } } | undefined;
    const mail = {
      id: "mail",
      name: "Mail",
      type: "email",
      confirm: "always",
      code: true,
      sendVerificationRequest: (request: NonNullable<typeof sent>) => void (sent = request),
    } as Provider;
    let errors: Kernel["errors"] = new Map();
    const chosen = definePlugin({
      name: "language",
      setup(kernel) {
        const { hooks } = kernel;
        errors = kernel.errors;
        hooks.locale.tap("language", ({ request }) =>
          /\blang=([\w-]+)/.exec(request.headers.get("cookie") ?? "")?.at(1),
        );
      },
    });
    const auth = createAuth({
      env: {
        NODE_ENV: "test",
        AUTH_SECRET: "look-test-secret-0123456789abcdefgh",
        AUTH_URL: origin,
      },
      logger: { error() {}, warn() {} },
      ...config,
      providers: [...(config.providers ?? []), mail],
      plugins: [
        ...[chosen, rateLimit(false), defineStore(backend)],
        ...shipped.map(({ plugin }) => plugin),
        ...plugins,
      ],
      adapter,
    });
    server.on("request", (req, res) => {
      auth.handler(req, res, () =>
        res.setHeader("content-type", "text/html").end("<title>Home</title>"),
      );
    });

    const context = await browser.newContext({ reducedMotion: "reduce" });
    context.on("console", (message) => {
      const text = message.text();
      const isComplaint = ["error", "warning"].includes(message.type());
      if (isComplaint && !/the server responded with/.test(text)) complaints.push(text);
    });
    const page = await context.newPage();
    // The browser's own passkey prompt would be in its language.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    const speak = (tag: string) => context.addCookies([{ name: "lang", value: tag, url: origin }]);
    const link = () => sent?.url ?? "";
    const html = () => sent?.mail.html ?? "";
    return { origin, page, adapter, errors: () => errors, link, mail: html, speak };
  }

  /** Signs Ada in by a link, with sign-in methods, passkeys and sessions to list. */
  async function signIn({ page, origin, link, adapter }: Site): Promise<void> {
    await page.goto(`${origin}/auth/signin`);
    await page.locator("form[action*=mail] input[type=email]").fill(ADA);
    await page.keyboard.press("Enter");
    await page.waitForURL(/verify-request/);
    await page.goto(link());
    await page.locator("main button").click();
    await page.waitForURL(`${origin}/`);
    const user = (await adapter.getUserByEmail(ADA))!;
    await adapter.updateUser({ id: user.id, name: "Ada Lovelace" });
    const account = { userId: user.id, provider: "github", providerAccountId: "1" };
    await adapter.linkAccount({ ...account, type: "oauth" });
    const expires = new Date(Date.now() + 3_600_000);
    await adapter.createSession({ sessionToken: "other", userId: user.id, expires });
    for (const [at, deviceType] of ["multiDevice", "singleDevice"].entries()) {
      await adapter.createAuthenticator({
        userId: user.id,
        credentialID: `passkey${at}`,
        providerAccountId: `passkey${at}`,
        credentialPublicKey: "key",
        counter: 0,
        credentialDeviceType: deviceType,
        credentialBackedUp: deviceType === "multiDevice",
        transports: "internal",
      });
    }
  }

  const pictures = new Map<string, Picture[]>();

  /** Renders the open page in each width and scheme, and lists its faults. */
  async function look(
    { page }: Site,
    { tag, messages, direction = "ltr" }: (typeof LANGUAGES)[number] & { direction?: string },
    name: string,
    primaries?: number,
    drawings = DRAWINGS,
  ): Promise<string[]> {
    const own = Object.values(messages)
      .flatMap(toForms)
      .map((text) =>
        text
          .split(/\{\w+\}/)
          .map((part) => part.replaceAll(/[$()*+./?[\\\]^{|}]/g, "\\$&"))
          .join(".+"),
      );
    const isOwn = new RegExp(`^(?:${own.join("|")})$`, "su");
    const { host } = new URL(page.url());
    const found = new Set<string>();
    await page.evaluate(() => {
      for (const one of document.querySelectorAll("details")) one.open = true;
    });
    for (const { width, colorScheme } of drawings) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const seen = await readLook(page);
      const where = `${name} in ${tag}, ${width} px, ${colorScheme}`;
      for (const fault of seen.faults) found.add(`${where}: ${fault}`);
      const others = seen.texts.filter(
        (text) => !isOwn.test(text) && !NAMES.has(text) && text !== host && !URL.canParse(text),
      );
      for (const text of others) found.add(`${name} in ${tag}: not a text of it: ${text}`);
      if (seen.language !== tag || seen.direction !== direction) {
        found.add(`${where}: is in ${seen.language}, ${seen.direction}`);
      }
      if (primaries === undefined ? seen.primaries > 1 : seen.primaries !== primaries) {
        found.add(`${where}: has ${seen.primaries} primary buttons`);
      }
      if (sheets && (width === 390) === (colorScheme === "dark")) {
        const data = await page.screenshot({ fullPage: true, type: "jpeg", quality: 70 });
        const sheet = `${name.replaceAll(/\W+/g, "-")}-${width}-${colorScheme}`;
        pictures.set(sheet, [...(pictures.get(sheet) ?? []), { caption: tag, data }]);
      }
    }
    return [...found];
  }

  async function writeSheets(): Promise<void> {
    if (!sheets) return;
    const page = await browser.newPage();
    for (const [name, all] of pictures) await writeSheet(page, all, join(sheets, `${name}.png`));
    pictures.clear();
    await page.close();
  }

  it(
    "pages with many providers are complete, readable and in one language",
    { timeout },
    async () => {
      const site = await start({ providers: [...MANY, password] });
      const { page, origin, speak, link } = site;
      await page.goto(`${origin}/auth/signin`);
      await page.locator("form[action*=mail] input[type=email]").fill(ADA);
      await page.keyboard.press("Enter");
      await page.waitForURL(/verify-request/);
      const confirmation = link();
      const found: string[] = [];
      for (const language of LANGUAGES) {
        await speak(language.tag);
        const visit = async (place: string, name: string, primaries?: number) => {
          await page.goto(new URL(place, `${origin}/auth/`).href);
          found.push(...(await look(site, language, name, primaries)));
        };
        await visit("signin", "signin", 1);
        await visit("verify-request", "verify-request");
        await visit(confirmation, "confirm", 1);
        await visit("nowhere", "not found");
      }
      await writeSheets();
      expect(found).toEqual([]);
      expect(complaints.splice(0)).toEqual([]);
    },
  );

  it("the page of each error is complete, readable and in one language", { timeout }, async () => {
    const site = await start(
      { experimental: { enableWebAuthn: true }, providers: [...MANY.slice(0, 2), password] },
      ...[passkeyPlugin(), blueskyPlugin(), steamPlugin(), secondFactor()],
    );
    const { page, origin, speak } = site;
    await page.goto(`${origin}/auth/signin`);
    const errors = listErrors(site.errors());
    expect(errors.length).toBeGreaterThan(15);
    const found: string[] = [];
    for (const language of LANGUAGES) {
      await speak(language.tag);
      for (const [at, error] of errors.entries()) {
        await page.goto(`${origin}/auth/error?error=${error}`);
        // The pages differ by their texts, for which the narrowest page has the least room.
        const drawings = at === 0 ? DRAWINGS : DRAWINGS.slice(0, 1);
        found.push(...(await look(site, language, `error ${error}`, 1, drawings)));
        await page.goto(`${origin}/auth/signin?error=${error}`);
        found.push(...(await look(site, language, `signin ${error}`, undefined, drawings)));
      }
    }
    await writeSheets();
    expect(found).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });

  it(
    "the e-mail with the link is complete, readable and in one language",
    { timeout },
    async () => {
      const site = await start({});
      const { page, origin, speak, mail } = site;
      const found: string[] = [];
      for (const language of LANGUAGES) {
        await speak(language.tag);
        await page.goto(`${origin}/auth/signin`);
        await page.locator("form[action*=mail] input[type=email]").fill(ADA);
        await page.keyboard.press("Enter");
        await page.waitForURL(/verify-request/);
        await page.goto(`${origin}/`);
        await page.setContent(mail());
        found.push(...(await look(site, language, "mail", 0)));
      }
      await writeSheets();
      expect(found).toEqual([]);
      expect(complaints.splice(0)).toEqual([]);
    },
  );

  it(
    "pages with passkeys, and the account page, are complete, readable and in one language",
    { timeout },
    async () => {
      const site = await start({
        experimental: { enableWebAuthn: true },
        providers: [...MANY.slice(0, 3), passkeyPlugin()],
      });
      await signIn(site);
      const found: string[] = [];
      for (const language of LANGUAGES) {
        await site.speak(language.tag);
        const visit = async (place: string, name: string, primaries?: number) => {
          await site.page.goto(`${site.origin}/auth/${place}`);
          if (/passkeys|account/.test(name)) {
            await site.page.locator("form[data-live]").waitFor({ state: "visible" });
          }
          found.push(...(await look(site, language, name, primaries)));
        };
        await visit("signin", "signin with passkeys", 1);
        await visit("signin?error=SessionRequired", "signin with passkeys, required", 1);
        await visit("account", "account");
        await visit("account?done", "account, done");
        await visit("account?failed=last", "account, last");
        await visit("account?error=AccountNotLinked", "account, error");
        await visit("signout", "signout", 1);
      }
      await writeSheets();
      expect(found).toEqual([]);
      expect(complaints.splice(0)).toEqual([]);
    },
  );

  it(
    "pages of the second factor are complete, readable and in one language",
    { timeout },
    async () => {
      const site = await start({ providers: [password] }, secondFactor({ required: true }));
      const { page, origin } = site;
      const enterPassword = async () => {
        await page.goto(`${origin}/auth/signin`);
        await page.locator("input[name=username]").fill("ada");
        await page.locator("input[name=password]").fill("secret");
        await page.locator("form[action*=credentials] button").click();
        await page.waitForURL(/second-factor/);
      };
      const found: string[] = [];
      const walk = async (visit: (language: (typeof LANGUAGES)[number]) => Promise<void>) => {
        for (const language of LANGUAGES) {
          await site.speak(language.tag);
          await visit(language);
        }
      };
      await enterPassword();
      await walk(async (language) => {
        await page.reload();
        found.push(...(await look(site, language, "second factor, required", 1)));
      });
      const key = (await page.locator("pre").textContent())!.replaceAll(" ", "");
      await page
        .locator("input[name=code]")
        .fill(TOTP.generate({ secret: Secret.fromBase32(key), timestamp: Date.now() - 30_000 }));
      await page.keyboard.press("Enter");
      let codes = await readCodes(page);
      await page.locator("main a.button, main form button").last().click();
      await page.waitForURL(`${origin}/`);
      await walk(async (language) => {
        await page.goto(`${origin}/auth/account`);
        found.push(...(await look(site, language, "account with a second factor")));
        await page.goto(`${origin}/auth/second-factor/setup?error=InvalidSecondFactor`);
        found.push(...(await look(site, language, "second factor, management")));
        await page.locator("form[action$=recovery-codes] input[name=code]").fill(codes[0]!);
        await page.locator("form[action$=recovery-codes] button").click();
        codes = await readCodes(page);
        found.push(...(await look(site, language, "recovery codes", 1)));
      });
      await page.goto(`${origin}/auth/signout`);
      await page.locator("main form button").click();
      await page.waitForURL(`${origin}/`);
      await enterPassword();
      await walk(async (language) => {
        await page.reload();
        found.push(...(await look(site, language, "second factor", 1)));
      });
      await writeSheets();
      expect(found).toEqual([]);
      expect(complaints.splice(0)).toEqual([]);
    },
  );

  it("text that does not fit, is unreadable or in another language is detected", async () => {
    const site = await start({ providers: MANY.slice(0, 1) });
    const { page, origin } = site;
    await site.speak("de");
    const [, german] = LANGUAGES.filter(({ tag }) => tag === "de" || tag === "ar");
    const findWith = async (spoil: (main: HTMLElement) => void) => {
      await page.goto(`${origin}/auth/signin`);
      await page.locator("main").evaluate(spoil);
      return (await look(site, german!, "signin", 1)).join("\n");
    };
    expect(await findWith(() => {})).toBe("");
    expect(await findWith((main) => void (main.style.minWidth = "1200px"))).toContain("too wide");
    expect(
      await findWith((main) => {
        Object.assign(main.querySelector("h1")!.style, { width: "9px", overflow: "hidden" });
      }),
    ).toContain("clipped text");
    expect(
      await findWith((main) => {
        Object.assign(main.querySelector("h1")!, {
          textContent: "Anmeldemethoden",
          style: "width:99px",
        });
      }),
    ).toContain('"Anmeldemethoden" on two lines: h1');
    expect(await findWith((main) => void (main.querySelector("h1")!.style.color = "#999"))).toMatch(
      /light: contrast of 2\.\d+: h1/,
    );
    expect(
      await findWith((main) => {
        main.querySelector<HTMLElement>("input[type=email]")!.style.marginBottom = "-40px";
      }),
    ).toContain("overlaps");
    expect(
      await findWith((main) => void (main.querySelector("h1")!.textContent = "Sign in")),
    ).toContain("not a text of it: Sign in");
    expect(
      await findWith((main) => main.querySelector("button")!.classList.add("primary")),
    ).toContain("has 2 primary buttons");
    expect(await findWith(() => void (document.documentElement.lang = "en"))).toContain("is in en");
  });
});

async function readCodes(page: Page): Promise<string[]> {
  await page.waitForFunction(() => document.querySelector("pre")?.textContent?.includes("\n"));
  return (await page.locator("pre").textContent())!.split("\n");
}
