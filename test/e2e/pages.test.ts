import { readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import type { AxeResults, RunOnly } from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import createAuth from "../../presets/node.ts";
import type { Adapter, AuthConfig, Provider, Theme } from "../../src/types.ts";
import { unservedOAuth } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { shipped } from "../pages/_texts.ts";
import { closeAll, isLeftOut, launch } from "./_chromium.ts";

/** Folder for screenshots. */
const pictures = process.env.KEYHOOK_PICTURES;

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ALL_RULES: RunOnly = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
};
/** What the colors of a theme may break. */
const COLOR_RULES: RunOnly = { type: "rule", values: ["color-contrast", "link-in-text-block"] };
/** One per direction: axe checks the structure, which is the same in every language (look.test.ts has all). */
const LANGUAGES = ["en", "ar"];
const ADA = "ada@example.com";

const oauth = (id: string, name: string, brandColor?: string): Provider => ({
  ...unservedOAuth(id, name),
  ...(brandColor && { style: { brandColor } }),
});

const password = {
  id: "credentials",
  name: "password",
  type: "credentials",
  credentials: {
    username: { required: true },
    password: { type: "password", required: true },
    remember: { label: "Stay signed in", type: "checkbox" },
  },
  authorize: () => null,
} as Provider;

/** Enough providers for a page to collapse them. */
const MANY = [
  ...[oauth("github", "GitHub"), oauth("google", "Google"), oauth("apple", "Apple")],
  ...[oauth("discord", "Discord"), oauth("slack", "Slack"), oauth("twitch", "Twitch")],
  ...[oauth("asgard", "Asgard", "#ffd400"), oauth("acme", "Acme", "tomato")],
  ...[oauth("notion", "Notion"), oauth("long", "The National Identity Service of Somewhere")],
];

interface Site {
  origin: string;
  /** Returns the last link that was sent. */
  link(): string;
  adapter: Required<Adapter>;
}

describe.skipIf(isLeftOut)("the built-in pages in a browser", () => {
  let browser: Browser;
  const servers: Server[] = [];
  const sites = new Map<string, Promise<Site>>();
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];

  beforeAll(async () => {
    browser = await launch();
  });

  afterAll(async () => {
    await browser?.close();
    for (const server of servers) server.close();
  });

  afterEach(async () => {
    await closeAll(contexts);
    contexts = [];
    // Violations of the content security policy are reported here too.
    expect(complaints.splice(0).filter((text) => !/the server responded with/.test(text))).toEqual(
      [],
    );
  });

  async function start(config: AuthConfig, name?: string): Promise<Site> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    const origin = name ?? `http://localhost:${(server.address() as AddressInfo).port}`;
    const adapter = adapterOn(memoryBackend()) as Required<Adapter>;
    let link = "";
    const mail = {
      id: "mail",
      name: "Mail",
      type: "email",
      confirm: "always",
      code: true,
      sendVerificationRequest: ({ url }: { url: string }) => void (link = url),
    } as Provider;
    const auth = createAuth({
      env: {
        NODE_ENV: "test",
        AUTH_SECRET: "pages-test-secret-0123456789abcdef",
        AUTH_URL: origin,
      },
      logger: { error() {}, warn() {} },
      providers: [...MANY, password, mail],
      plugins: [rateLimit(false), ...shipped.map(({ plugin }) => plugin)],
      adapter,
      ...config,
    });
    server.on("request", (req, res) => {
      auth.handler(req, res, () =>
        res.setHeader("content-type", "text/html").end("<title>Home</title>"),
      );
    });
    return { origin, adapter, link: () => link };
  }

  /** Starts one server per configuration. */
  function site(config: AuthConfig = {}): Promise<Site> {
    const key = JSON.stringify(config);
    const known = sites.get(key) ?? start(config);
    sites.set(key, known);
    return known;
  }

  async function visitor(
    { origin }: Site,
    options: Parameters<Browser["newContext"]>[0] = {},
  ): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options });
    contexts.push(context);
    context.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    context.on("request", (request) => {
      if (!request.url().startsWith(origin)) complaints.push(`asked ${request.url()}`);
    });
    return context.newPage();
  }

  async function askForMail(page: Page, { origin }: Site): Promise<void> {
    await page.goto(`${origin}/auth/signin`);
    await page.locator("#input-email-for-mail-provider").fill(ADA);
    await page.locator("#input-email-for-mail-provider").press("Enter");
    await page.waitForURL(/verify-request/);
  }

  async function signIn(page: Page, where: Site): Promise<void> {
    await askForMail(page, where);
    await page.goto(where.link());
    await page.locator("main button").click();
    await page.waitForURL(`${where.origin}/`);
  }

  async function faults(page: Page, rules = ALL_RULES): Promise<string[]> {
    await page.evaluate(AXE);
    const { violations } = await page.evaluate<AxeResults, RunOnly>(
      // Runs in the browser, where the library was just loaded.
      (runOnly) =>
        (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
          runOnly,
        }),
      rules,
    );
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html} ${any.map(({ message }) => message).join()}`),
    );
  }

  /** Lists elements that are smaller than a touch target, and overflow of the page. */
  const misfits = (page: Page) =>
    page.evaluate(() => {
      const found: string[] = [];
      const { scrollWidth, clientWidth } = document.documentElement;
      if (scrollWidth > clientWidth) found.push(`${scrollWidth - clientWidth} px too wide`);
      for (const one of document.querySelectorAll<HTMLElement>("a,button,summary,input")) {
        const { height, width } = (one.closest("label.check") ?? one).getBoundingClientRect();
        if (height > 0 && (height < 44 || width < 44)) found.push(`${height} px: ${one.outerHTML}`);
      }
      return found;
    });

  const PLACES = [
    "/signin",
    "/signin?error=CredentialsSignin&email=ada@example.com",
    "/signin?error=SessionRequired",
    "/signout",
    "/error?error=AccessDenied",
    "/error?error=Configuration",
    "/error",
    "/verify-request",
    "/nowhere",
    "/account?done",
    "/account?failed",
    "/account?error=OAuthAccountNotLinked",
  ];

  /** Registers Ada with a passkey of this machine and one of a security key. */
  async function registered(where: Site): Promise<Page> {
    const page = await visitor(where);
    // Otherwise such a machine would accept an offer immediately.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("WebAuthn.enable", { enableUI: false });
    const plugIn = (transport: "internal" | "usb") =>
      cdp.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          ctap2Version: "ctap2_1",
          transport,
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
    const { authenticatorId } = await plugIn("internal");
    await page.goto(`${where.origin}/auth/signin`);
    await page.getByLabel("Email").fill(ADA);
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.waitForURL(`${where.origin}/`);
    await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    await plugIn("usb");
    await page.goto(`${where.origin}/auth/account`);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.waitForURL(/account\?done/);
    return page;
  }

  it(
    "pages with passkeys pass axe and fit 320 px in both directions (WCAG 2.2 AA)",
    { timeout: 180_000 },
    async () => {
      const where = await start({
        experimental: { enableWebAuthn: true },
        providers: [oauth("github", "GitHub"), passkeyPlugin()],
      });
      const ada = await registered(where);
      const cookies = await ada.context().cookies();
      for (const locale of LANGUAGES) {
        for (const colorScheme of ["light", "dark"] as const) {
          const page = await visitor(where, { locale, colorScheme });
          await page.context().addCookies(cookies);
          for (const place of ["/signin", "/account?done", "/account?failed=last"]) {
            await page.setViewportSize({ width: 390, height: 844 });
            await page.goto(`${where.origin}/auth${place}`);
            await page.locator("form[data-live]").waitFor({ state: "visible" });
            const name = `${place} in ${locale}, ${colorScheme}`;
            expect(await faults(page), name).toEqual([]);
            await page.setViewportSize({ width: 320, height: 640 });
            expect(await misfits(page), `${name} at 320`).toEqual([]);
            expect(await page.locator("html").getAttribute("lang")).toBe(locale);
          }
          expect(await page.locator("[data-section=passkeys] li").count()).toBe(2);
          await page.context().close();
        }
      }
      // Only found by the text of the page.
      await ada.getByRole("button", { name: "Remove passkey 1" }).click();
      await ada.getByText("Changes saved").waitFor();
      const last = ada.locator("[data-section=passkeys] li");
      expect(await last.count()).toBe(1);
      await ada.getByRole("button", { name: "Remove passkey 1" }).click();
      await ada.getByText("This is your only sign-in method.").waitFor();
      expect(await last.count()).toBe(1);
    },
  );

  describe.each(LANGUAGES)("the built-in pages in %s", (locale) => {
    it.each(["light", "dark"] as const)(
      "every page passes axe and fits 320 px, %s (WCAG 2.2 AA)",
      async (colorScheme) => {
        const where = await site();
        const page = await visitor(where, { locale, colorScheme });
        const look = async (name: string) => {
          expect(await faults(page), name).toEqual([]);
          await page.setViewportSize({ width: 320, height: 640 });
          expect(await misfits(page), `${name} at 320`).toEqual([]);
          await page.setViewportSize({ width: 1000, height: 800 });
          expect(await misfits(page), `${name} at 1000`).toEqual([]);
          await page.setViewportSize({ width: 390, height: 844 });
          expect(await misfits(page), `${name} at 390`).toEqual([]);
          expect(await page.locator("html").getAttribute("lang")).toBe(locale);
        };
        await askForMail(page, where);
        await look("verify-request");
        await page.goto(where.link());
        await look("confirm");
        await page.locator("main button").click();
        for (const place of PLACES) {
          await page.goto(`${where.origin}/auth${place}`);
          const more = page.locator("summary");
          for (const one of await more.all()) await one.click();
          await look(place);
        }
      },
    );
  });

  it.each(LANGUAGES)("every page keeps its contrast in %s with a theme", async (locale) => {
    const where = await site({ theme: { brandColor: "#ffd400" } });
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await visitor(where, { locale, colorScheme });
      await signIn(page, where);
      for (const place of PLACES) {
        await page.goto(`${where.origin}/auth${place}`);
        expect(await faults(page, COLOR_RULES), `${place} ${colorScheme}`).toEqual([]);
      }
      await page.context().close();
    }
  });

  it.each([
    ["#0a7d5a", undefined],
    ["#ffd400", undefined],
    ["#ffffff", undefined],
    ["#000", undefined],
    ["tomato", undefined],
    ["hsl(280 90% 60%)", undefined],
    ["rgb(120 120 120)", undefined],
    ["#1da1f2", "#fff"],
    [undefined, "#888"],
  ])(
    "every page keeps its contrast with the brand color %s and the button text %s",
    async (brandColor, buttonText) => {
      const theme: Theme = { ...(brandColor && { brandColor }), ...(buttonText && { buttonText }) };
      const where = await site({ theme });
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await visitor(where, { colorScheme, viewport: { width: 1200, height: 900 } });
        const look = async (place: string) =>
          expect(await faults(page, COLOR_RULES), `${place} ${colorScheme}`).toEqual([]);
        await askForMail(page, where);
        await look("verify-request");
        await page.goto(where.link());
        await look("confirm");
        await page.locator("main button").click();
        await page.waitForURL(`${where.origin}/`);
        for (const place of ["/signin", "/error?error=AccessDenied", "/signout", "/account?done"]) {
          await page.goto(`${where.origin}/auth${place}`);
          await look(place);
        }
      }
    },
  );

  it.each(["light", "dark"] as const)(
    "the theme's color scheme %s overrides the browser's preference",
    async (scheme) => {
      const where = await site({ theme: { colorScheme: scheme, brandColor: "#7a1fa2" } });
      const colorScheme = scheme === "light" ? "dark" : "light";
      const page = await visitor(where, { colorScheme });
      await page.goto(`${where.origin}/auth/signin`);
      expect(await faults(page, COLOR_RULES)).toEqual([]);
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const [red = 0] = ground.match(/\d+/g)!.map(Number);
      expect(red > 128).toBe(scheme === "light");
    },
  );

  it.each(["light", "dark"] as const)(
    "with the color scheme %s, a page is printed with dark text and without backgrounds",
    async (colorScheme) => {
      const where = await site({ theme: { colorScheme, brandColor: "#7a1fa2" } });
      const page = await visitor(where, { colorScheme: "dark" });
      await page.emulateMedia({ media: "print" });
      await page.goto(`${where.origin}/auth/verify-request`);
      const colors = await page.evaluate(() => {
        const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
        return ["h1", ".text", "a"].map((selector) => {
          canvas.fillStyle = getComputedStyle(document.querySelector(selector)!).color;
          canvas.fillRect(0, 0, 1, 1);
          return Math.max(...canvas.getImageData(0, 0, 1, 1).data.slice(0, 2));
        });
      });
      expect(colors.filter((color) => color > 160)).toEqual([]);
    },
  );

  it.each([
    { colorScheme: "light" },
    { colorScheme: "dark" },
    { colorScheme: "light", forcedColors: "active" },
    { colorScheme: "dark", forcedColors: "active" },
  ] as const)("a disabled input does not look like an editable one: %o", async (options) => {
    const text = { label: "Organization", value: "Acme" };
    const credentials = { own: text, fixed: { ...text, disabled: true } };
    const where = await site({ providers: [{ ...password, credentials } as Provider] });
    const page = await visitor(where, options);
    await page.goto(`${where.origin}/auth/signin`);
    const [own, fixed] = await page.evaluate(() =>
      ["own", "fixed"].map((name) => {
        const style = getComputedStyle(document.querySelector(`input[name=${name}]`)!);
        return [style.color, style.borderTopStyle];
      }),
    );
    expect(fixed![0]).not.toBe(own![0]);
    expect(fixed![1]).not.toBe(own![1]);
  });

  it.each(["light", "dark"] as const)(
    "the edges of buttons and lists are visible when the user prefers more contrast, %s (WCAG 1.4.11)",
    async (colorScheme) => {
      const where = await site();
      const page = await visitor(where, { colorScheme, contrast: "more" });
      await signIn(page, where);
      await page.goto(`${where.origin}/auth/account`);
      const ratios = await page.evaluate(() => {
        const luminance = (color: string) => {
          const parts = color.match(/[\d.]+/g)!.map((part) => Number(part) / 255);
          const [red = 0, green = 0, blue = 0] = parts.map((part) =>
            part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
          );
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const card = luminance(getComputedStyle(document.querySelector("main")!).backgroundColor);
        return [".list", ".plain:not(.tint)"].map((selector) => {
          const edge = getComputedStyle(document.querySelector(selector)!).borderTopColor;
          const [low = 0, high = 0] = [luminance(edge), card].sort((one, other) => one - other);
          return (high + 0.05) / (low + 0.05);
        });
      });
      expect(ratios.filter((ratio) => ratio < 3)).toEqual([]);
    },
  );

  /** Returns the focused element, and whether its focus ring is visible. */
  const focus = (page: Page) =>
    page.evaluate(() => {
      const one = document.activeElement as HTMLElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      const isSeen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
      return { name: one.id || one.ariaLabel || one.textContent?.trim() || one.tagName, isSeen };
    });

  async function walk(page: Page, steps: number): Promise<string[]> {
    const names: string[] = [];
    for (let step = 0; step < steps; step++) {
      await page.keyboard.press("Tab");
      const { name, isSeen } = await focus(page);
      expect(isSeen, `focus ring of ${name}`).toBe(true);
      names.push(name.replaceAll(/\s+/g, " "));
    }
    return names;
  }

  it("all buttons have the same edge in forced colors, collapsed or not", async () => {
    const where = await site();
    const page = await visitor(where, { forcedColors: "active" });
    await page.goto(`${where.origin}/auth/signin`);
    await page.locator("summary").click();
    const edges = await page.evaluate(() =>
      [...document.querySelectorAll("button,summary")].map(
        (one) => getComputedStyle(one).borderTopColor,
      ),
    );
    expect(edges.length).toBeGreaterThan(10);
    expect(new Set(edges).size).toBe(1);
  });

  it("all pages work with only the keyboard", async () => {
    const where = await site();
    const page = await visitor(where);
    await page.goto(`${where.origin}/auth/signin`);
    expect(await walk(page, 6)).toEqual(
      [
        ...["GitHub", "Google", "Apple", "Discord", "Slack"].map((name) => `Sign in with ${name}`),
        "Show 5 more",
      ].map((name) => expect.stringContaining(name)),
    );
    await page.keyboard.press("Enter");
    expect(await walk(page, 5)).toEqual([
      ...["Twitch", "Asgard", "Acme", "Notion"].map((name) => `Sign in with ${name}`),
      "Sign in with The National Identity Service of Somewhere",
    ]);
    expect(await walk(page, 4)).toEqual([
      "input-username-for-credentials-provider",
      "input-password-for-credentials-provider",
      "input-remember-for-credentials-provider",
      "submitButton",
    ]);
    await walk(page, 1);
    await page.keyboard.type(ADA);
    await page.keyboard.press("Enter");
    await page.waitForURL(/verify-request/);
    await page.goto(where.link());
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${where.origin}/`);

    await page.goto(`${where.origin}/auth/signout`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${where.origin}/`);
    await page.goto(`${where.origin}/auth/account`);
    expect(new URL(page.url()).pathname).toBe("/auth/signin");
  });

  it("the account page works with only the keyboard", async () => {
    const where = await site({ session: { maxAge: 7200 } });
    const page = await visitor(where);
    await signIn(page, where);
    const { id: userId } = (await where.adapter.getUserByEmail(ADA))!;
    const account = { provider: "github", providerAccountId: "1" };
    await where.adapter.linkAccount({ ...account, userId, type: "oauth" });
    const expires = new Date(Date.now() + 3_600_000);
    await where.adapter.createSession({ sessionToken: "away", userId, expires });
    for (const wanted of [/^Disconnect GitHub/, /^Sign out of the session/]) {
      await page.goto(`${where.origin}/auth/account`);
      let name = "";
      for (let step = 0; step < 40 && !wanted.test(name); step++) [name = ""] = await walk(page, 1);
      expect(name).toMatch(wanted);
      await page.keyboard.press("Enter");
      await page.waitForURL(/account\?done/);
      expect(await page.getByRole("status").textContent()).toContain("saved");
    }
    expect(await where.adapter.getUserByAccount(account)).toBe(null);
    expect(await where.adapter.getSessionAndUser("away")).toBe(null);
  });

  it("the focus starts at the error message, or at the first invalid field", async () => {
    const where = await site({ providers: [oauth("github", "GitHub"), oauth("google", "Google")] });
    const page = await visitor(where);
    await page.goto(`${where.origin}/auth/signin?error=OAuthCallbackError`);
    expect((await focus(page)).name).toBe("message");
    expect(await page.getByRole("alert").textContent()).toContain("couldn’t be completed");

    const form = await site({ providers: [password] });
    const other = await visitor(form);
    await other.goto(`${form.origin}/auth/signin`);
    await other.keyboard.type("ada");
    await other.keyboard.press("Tab");
    await other.keyboard.type("guessed");
    await other.keyboard.press("Enter");
    await other.waitForURL(/error=CredentialsSignin/);
    expect((await focus(other)).name).toBe("input-username-for-credentials-provider");
    const field = other.getByLabel("Username");
    const described = await field.getAttribute("aria-describedby");
    expect(await other.locator(`#${described}`).textContent()).toContain("Check your details");
    expect(await field.getAttribute("autocomplete")).toBe("username");
    expect(await other.getByLabel("Password").getAttribute("autocomplete")).toBe(
      "current-password",
    );
  });

  it("signing in, ending a session and signing out work without JavaScript", async () => {
    // A separate site, where no user has a session yet.
    const where = await site({ session: { maxAge: 3600 } });
    const page = await visitor(where, { javaScriptEnabled: false });
    await signIn(page, where);
    const user = await where.adapter.getUserByEmail(ADA);
    const expires = new Date(Date.now() + 3_600_000);
    await where.adapter.createSession({ sessionToken: "other", userId: user!.id, expires });
    await page.goto(`${where.origin}/auth/account`);
    await page.getByRole("button", { name: /^Sign out of the session/ }).click();
    expect(await page.getByRole("status").textContent()).toContain("saved");
    expect(await where.adapter.getSessionAndUser("other")).toBe(null);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${where.origin}/`);
    await page.goto(`${where.origin}/auth/account`);
    expect(new URL(page.url()).pathname).toBe("/auth/signin");
  });

  // For the README: run this file with `KEYHOOK_PICTURES=playground/pictures`.
  it.runIf(pictures)("takes the screenshots of the README", async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="132" height="36"><rect width="36" height="36" ' +
      'rx="10" fill="#12806a"/><path d="M11 24V13l7 7 7-7v11" stroke="#fff" stroke-width="3" ' +
      'fill="none"/><text x="46" y="25" font-family="sans-serif" font-size="20" font-weight="700" ' +
      'fill="#12806a">Meadow</text></svg>';
    const theme = { brandColor: "#12806a", logo: `data:image/svg+xml,${encodeURIComponent(svg)}` };
    const where = await start({ theme }, "http://meadow.example");
    const known = browser;
    const { port } = servers.at(-1)!.address() as AddressInfo;
    const rule = `--host-resolver-rules=MAP meadow.example 127.0.0.1:${port}`;
    browser = await launch(rule);
    const shoot = async (page: Page, name: string, height = 1200) => {
      const path = `${pictures}/${name}.png`;
      const box = (await page.locator("main").boundingBox())!;
      const [x, y] = [Math.max(box.x - 24, 0), Math.max(box.y - 24, 0)];
      const width = Math.min(box.width + 48, page.viewportSize()!.width);
      const clip = { x, y, width, height: Math.min(box.height + 2 * y, height) };
      await page.screenshot({ path, clip, fullPage: true });
      expect(statSync(path).size).toBeLessThan(60_000);
    };
    const size = { width: 500, height: 640 };
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await visitor(where, { colorScheme, viewport: size });
      await page.goto(`${where.origin}/auth/signin`);
      await shoot(page, `signin-${colorScheme}`);
    }
    const arabicPage = await visitor(where, { locale: "ar", viewport: size });
    await arabicPage.goto(`${where.origin}/auth/error?error=OAuthCallbackError`);
    await shoot(arabicPage, "error-arabic");
    const desk = await visitor(where, { viewport: { width: 1280, height: 800 } });
    await askForMail(desk, where);
    await shoot(desk, "verify-request");
    await desk.goto(where.link());
    await shoot(desk, "confirm");
    await desk.goto(`${where.origin}/auth/signout`);
    await shoot(desk, "signout");
    const page = await visitor(where, { viewport: { width: 400, height: 700 } });
    await signIn(page, where);
    const user = (await where.adapter.getUserByEmail(ADA))!;
    await where.adapter.updateUser({ id: user.id, name: "Ada Lovelace" });
    for (const [at, provider] of ["github", "google"].entries()) {
      const account = { userId: user.id, provider, providerAccountId: `${at}` };
      await where.adapter.linkAccount({ ...account, type: "oauth" });
    }
    const expires = new Date(Date.now() + 3_600_000);
    await where.adapter.createSession(
      { sessionToken: "other", userId: user.id, expires },
      { description: "Safari, iPhone" },
    );
    await page.goto(`${where.origin}/auth/account`);
    const list = (await page.locator("ul").last().boundingBox())!;
    await shoot(page, "account", list.y + list.height + 16);
    await browser.close();
    browser = known;
  });

  it("the button of a collapsed provider posts to that provider", async () => {
    const where = await site();
    const page = await visitor(where);
    await page.goto(`${where.origin}/auth/signin`);
    await page.locator("summary").click();
    const posted = page.waitForRequest((request) => request.method() === "POST");
    await page.route(/idp\.example/, (route) => route.fulfill({ status: 204 }));
    await page.getByRole("button", { name: "Sign in with Notion" }).click();
    expect(new URL((await posted).url()).pathname).toBe("/auth/signin/notion");
    complaints = complaints.filter((text) => !text.startsWith("asked https://idp.example"));
  });

  it.each(["en", "ar"])(
    "names of two hundred letters without a space fit the buttons in %s",
    async (locale) => {
      const name = "Wissenschaft".repeat(17);
      const first = ["one", "two"].map((id) => oauth(id, name));
      const passwords = { ...password, name } as Provider;
      const few = await site({ providers: [...first, passwords] });
      const many = await site({ providers: [...first, ...MANY.map((one) => ({ ...one, name }))] });
      for (const where of [few, many]) {
        const page = await visitor(where, { locale, viewport: { width: 320, height: 640 } });
        await page.goto(`${where.origin}/auth/signin`);
        for (const summary of await page.locator("summary").all()) await summary.click();
        expect(await misfits(page)).toEqual([]);
      }
    },
  );

  it("the name of a provider's button is its text, without the initial that replaces an icon", async () => {
    const where = await site({ providers: [oauth("corp-sso", "Acme")] });
    const page = await visitor(where);
    await page.goto(`${where.origin}/auth/signin`);
    const cdp = await page.context().newCDPSession(page);
    const { nodes } = await cdp.send("Accessibility.getFullAXTree");
    const names = nodes.flatMap(({ role, name }) =>
      role?.value === "button" ? String(name?.value) : [],
    );
    expect(names).toEqual(["Sign in with Acme"]);
  });

  it.each([true, false])(
    "a double click on the button of an e-mail link signs in, whether clicks focus it: %s",
    async (focuses) => {
      const where = await site();
      const page = await visitor(where);
      // Like Safari, and Firefox on macOS.
      if (!focuses) {
        await page.addInitScript(() =>
          addEventListener("mousedown", (event) => event.preventDefault()),
        );
      }
      await askForMail(page, where);
      await page.goto(where.link());
      const posts: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") posts.push(request.url());
      });
      // The link works once: of two posts, the response to the second would be an error.
      await page.route("**/callback/mail", async (route) => {
        await page.waitForTimeout(500);
        await route.continue();
      });
      const { x, y, width, height } = (await page.locator("main button").boundingBox())!;
      const click = () => page.mouse.click(x + width / 2, y + height / 2);
      // A click of a user who has not yet seen the page presses nothing.
      await page.mouse.move(x, y);
      await page.waitForTimeout(600);
      await click();
      // Like a person: within one task of the browser, the second click would replace the first.
      await page.waitForTimeout(130);
      await click();
      await page.waitForURL(`${where.origin}/`);
      expect(posts).toHaveLength(1);
    },
  );

  it("a click that sent nothing because a field was empty does not block the next one", async () => {
    const where = await site({ providers: [password] });
    const page = await visitor(where);
    await page.goto(`${where.origin}/auth/signin`);
    await page.locator("main button").click();
    await page.locator("input[name=username]").fill("ada");
    await page.locator("input[name=password]").fill("secret");
    const posted = page.waitForRequest((request) => request.method() === "POST", { timeout: 1500 });
    await page.locator("main button").click({ timeout: 1000 });
    await posted;
  });

  it("the pages are laid out from right to left in Arabic", async () => {
    const where = await site();
    const page = await visitor(where, { locale: "ar" });
    await page.goto(`${where.origin}/auth/signin`);
    const sides = await page.evaluate(() => {
      const side = (one: Element) => one.getBoundingClientRect().left;
      const button = document.querySelector("form button")!;
      return side(button.querySelector("svg")!) - side(button.querySelector("span")!);
    });
    expect(sides).toBeGreaterThan(0);
    const align = await page
      .locator("input[type=email]")
      .evaluate((one) => [getComputedStyle(one).direction, getComputedStyle(one).textAlign]);
    expect(align).toEqual(["ltr", "right"]);
  });
});
