import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHOICES } from "../../playground/look.ts";
import { isLeftOut } from "./_chromium.ts";
import { askForLink, button, enter, identify, walkPlayground } from "./_playground.ts";

const { auto: _, ...languages } = CHOICES.language;

const HEADINGS = {
  en: ["Sign in", "Check your email", "Your account"],
  de: ["Anmelden", "Prüfen Sie Ihr Postfach", "Ihr Konto"],
} as Record<string, string[]>;

describe.skipIf(isLeftOut)("language and look of the playground", () => {
  const walk = walkPlayground();

  const choose = async (page: Page, name: string) => {
    await button(page, new RegExp(`^${name}$`)).click();
    await page.locator(`button[aria-pressed=true]`, { hasText: name }).waitFor();
  };

  it.each(Object.entries(languages))("all pages are in %s (%s)", async (tag, name) => {
    // Without scripts, the switch is a form.
    const page = await walk.open("/", { javaScriptEnabled: false, locale: "pt-BR" });
    await choose(page, name);
    const told: string[] = [];
    const look = async () => {
      expect(await page.locator("html").getAttribute("lang")).toBe(tag);
      expect(await page.locator("html").getAttribute("dir")).toBe(tag === "ar" ? "rtl" : null);
      told.push((await page.locator("h1").textContent()) ?? "");
    };
    await page.goto(`${walk.playground.origin}/auth/signin`);
    await look();
    await page.locator("input[type=email]:visible").fill(`${tag}@playground.example`);
    await page.locator("input[type=email]:visible").press("Enter");
    await page.waitForURL(/verify-request/);
    await look();
    await page.goto(`${walk.playground.origin}/outbox`);
    const letter = page.getByRole("article").first();
    const { hostname } = new URL(walk.playground.origin);
    expect(await letter.getByRole("heading").textContent()).toContain(hostname);
    await letter.getByRole("link", { name: "Follow the link" }).click();
    await page.goto(`${walk.playground.origin}/auth/account`);
    await look();
    await page.goto(`${walk.playground.origin}/auth/signout`);
    await look();
    await page.goto(`${walk.playground.origin}/auth/error?error=AccessDenied`);
    walk.forgive("403");
    await look();
    expect(new Set(told).size).toBe(told.length);
    expect(told.slice(0, 3)).toEqual(HEADINGS[tag] ?? expect.anything());
    if (tag !== "en") expect(told.join()).not.toMatch(/Sign|Check|Your/);
  });

  it("e-mails are in the chosen language", async () => {
    const page = await walk.open();
    await choose(page, "Deutsch");
    await page.goto(`${walk.playground.origin}/`);
    await askForLink(page, "deutsch@playground.example");
    await page
      .getByRole("heading", { name: /^Anmeldung bei/ })
      .first()
      .waitFor();
  });

  it("the browser's language applies until the user chooses another", async () => {
    const page = await walk.open("/auth/signin", { locale: "fr-CA" });
    expect(await page.locator("html").getAttribute("lang")).toBe("fr");
    await page.goto(walk.playground.origin);
    await choose(page, "日本語");
    await page.goto(`${walk.playground.origin}/auth/signin`);
    expect(await page.locator("html").getAttribute("lang")).toBe("ja");
  });

  /** Returns whether the page's background is dark, and the color of its main button. */
  const painted = async (page: Page, main: RegExp) => ({
    dark: await page.evaluate(() => {
      const [red = 0] = (getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? []).map(
        Number,
      );
      return red < 128;
    }),
    color: await button(page, main).evaluate((one) => getComputedStyle(one).backgroundColor),
  });

  const GROUNDS = {
    Blue: "rgb(35, 83, 217)",
    Teal: "rgb(15, 118, 110)",
    Plum: "rgb(162, 28, 175)",
    Amber: "rgb(245, 179, 1)",
  };

  it.each(Object.entries(GROUNDS))(
    "the playground and the built-in pages are %s, light and dark",
    async (...it) => {
      const [name, color] = it;
      const page = await walk.open("/", { colorScheme: "dark" });
      await choose(page, name);
      for (const scheme of ["Light", "Dark", "Auto"]) {
        await page.goto(walk.playground.origin);
        const row = page.getByRole("group", { name: "Scheme" });
        await row.getByRole("button", { name: scheme }).click();
        await row.locator("[aria-pressed=true]", { hasText: scheme }).waitFor();
        const dark = scheme !== "Light";
        const here = await painted(page, /^Sign in$/);
        expect(here.dark).toBe(dark);
        if (!dark) expect(here.color).toBe(color);
        await page.goto(`${walk.playground.origin}/auth/signin`);
        expect(await painted(page, /^Sign in with a passkey/)).toEqual({ dark, color });
      }
      await identify(page, "Tomás");
      await page.goto(`${walk.playground.origin}/auth/account`);
      expect(await page.evaluate(() => getComputedStyle(document.body).colorScheme)).toMatch(
        /dark/,
      );
    },
  );

  it("an invalid look cookie is ignored", async () => {
    const context = await walk.visitor();
    const { origin } = walk.playground;
    const value = "language=xx&scheme=%22%3E&color=url(evil)";
    await context.addCookies([{ name: "look", value, url: origin }]);
    const page = await walk.tab(context);
    expect(await page.locator("html").getAttribute("data-color")).toBe("blue");
    await enter(page, "mira");
    await page.goto(`${origin}/auth/account`);
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
  });
});
