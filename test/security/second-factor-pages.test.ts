import { describe, expect, it } from "vitest";
import { homePlugin } from "../../plugins/bindings/_home.ts";
import { arabicPlugin } from "../../plugins/languages/ar.ts";
import { germanPlugin } from "../../plugins/languages/de.ts";
import { spanishPlugin } from "../../plugins/languages/es.ts";
import { frenchPlugin } from "../../plugins/languages/fr.ts";
import { japanesePlugin } from "../../plugins/languages/ja.ts";
import { chinesePlugin } from "../../plugins/languages/zh.ts";
import { parseRecoveryCode } from "../../plugins/security/second-factor/recovery-codes.ts";
import { findStep } from "../../plugins/security/second-factor/totp.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { isStorable } from "../../src/_kit.ts";
import { definePreset, type Plugin } from "../../src/kernel.ts";
import { type Browser, createClock, ODD_TEXTS } from "../../src/testing.ts";
import {
  acme,
  credentials,
  identityFlow,
  isSignedIn,
  locationOf,
  ORIGIN,
  testPreset,
} from "../_app.ts";
import { all, type Markup, only, parse } from "../pages/_parse.ts";
import {
  answer,
  CHALLENGE,
  codeOf,
  createAdasApp,
  createFactorApp,
  enterPassword,
  openPaused,
  setUp,
  SETUP,
} from "./_second-factor.ts";

const LANGUAGES = [
  arabicPlugin(),
  germanPlugin(),
  spanishPlugin(),
  frenchPlugin(),
  japanesePlugin(),
  chinesePlugin(),
];

async function read(browser: Browser, path: string, language = "en"): Promise<Markup> {
  const headers = { accept: "text/html", "accept-language": language };
  return parse(await (await browser.get(path, { headers })).text());
}

/** Returns the visible inputs, each with the text of its label. */
async function listInputs(browser: Browser, path: string) {
  const markup = await read(browser, path);
  const labels = all(markup, "label").map((label) => label.for);
  return all(markup, "input")
    .filter(({ type }) => type !== "hidden")
    .map((input) => {
      expect(labels).toContain(input.id);
      return input;
    });
}

describe("pages of the second factor", () => {
  it("the set-up page leads to the start page of an application below a path if there is no account page", async () => {
    const preset = definePreset({
      name: "no-account",
      extends: [testPreset],
      plugins: [databaseStrategy()],
    });
    const app = createFactorApp({ preset, use: [homePlugin("/app")] });
    await enterPassword(app.browser);
    const links = all(await read(app.browser, SETUP), "a").map(({ href }) => href);
    expect(links).toContain(`${ORIGIN}/app`);
  });

  it("the field of a code is labeled, numeric, filled in by the browser, and has the focus", async () => {
    const { app } = await createAdasApp();
    const inputs = await listInputs(await openPaused(app), CHALLENGE);
    expect(inputs).toHaveLength(2);
    expect(inputs[0]).toMatchObject({
      name: "code",
      type: "text",
      inputmode: "numeric",
      autocomplete: "one-time-code",
      dir: "ltr",
      required: "",
      autofocus: "",
    });
    expect(inputs[1]).toMatchObject({ name: "code", autocomplete: "off", autocapitalize: "none" });
    expect(inputs[1]).not.toHaveProperty("autofocus");
    // Letters must remain possible.
    expect(inputs[1]?.inputmode).toBeUndefined();
    expect(new Set(inputs.map(({ id }) => id)).size).toBe(2);
  });

  it("the set-up page has one labeled field, an image with a description, and one heading", async () => {
    const { browser } = createFactorApp();
    await enterPassword(browser);
    const markup = await read(browser, SETUP);
    expect(await listInputs(browser, SETUP)).toMatchObject([
      { inputmode: "numeric", autocomplete: "one-time-code" },
    ]);
    expect(only(markup, "img")).toMatchObject({ alt: "QR code for the authenticator app" });
    expect(only(markup, "h1")).toEqual({});
    expect(markup.tags.map(({ name }) => name)).not.toContain("script");
  });

  it("the forms of the account accept a code of either kind", async () => {
    const app = createFactorApp({ providers: [acme()], use: [identityFlow(() => ({}))] });
    await app.browser.get("/auth/callback/acme");
    await setUp(app.browser);
    for (const path of [SETUP, "/auth/account"]) {
      const inputs = await listInputs(app.browser, path);
      expect(inputs).toMatchObject(
        [1, 2].map(() => ({ name: "code", autocomplete: "one-time-code", required: "" })),
      );
      expect(inputs.map(({ inputmode }) => inputmode)).toEqual([undefined, undefined]);
    }
  });

  it.each([
    ["en", "Enter your code", "Set up two\u2011step verification"],
    ["de", "Code eingeben", "Bestätigung in zwei Schritten einrichten"],
    ["es", "Ingresa el código", "Configurar la verificación en dos pasos"],
    ["fr", "Saisissez votre code", "Configurer la validation en deux étapes"],
    ["ja", "コードを入力", "2\u00a0段階認証を設定"],
    ["zh", "输入验证码", "设置两步验证"],
    ["ar", "أدخل الرمز", "إعداد التحقق بخطوتين"],
  ])("the pages are in the visitor's language: %s", async (language, heading, setupHeading) => {
    const app = createFactorApp({ use: LANGUAGES });
    await enterPassword(app.browser);
    const setup = await read(app.browser, SETUP, language);
    expect(only(setup, "html").lang).toBe(language);
    expect(setup.texts).toContain(setupHeading);
    await setUp(app.browser);
    const browser = await openPaused(app);
    await answer(browser, "");
    const page = await read(browser, `${CHALLENGE}?error=InvalidSecondFactor`, language);
    expect(page.texts).toContain(heading);
    expect(all(page, "p").some(({ role }) => role === "alert")).toBe(true);
    // No text is in English, and none is an id.
    if (language !== "en") {
      const english = await read(browser, CHALLENGE);
      const same = english.texts.filter((text) => page.texts.includes(text));
      expect(same.filter((text) => !text.startsWith("localhost"))).toEqual([]);
    }
    expect([...page.texts, ...setup.texts].filter((text) => /^\w+(\.\w+)+$/.test(text))).toEqual(
      [],
    );
  });

  it("other plugins change the pages by name", async () => {
    const shown: string[] = [];
    const pages = ["second-factor", "second-factor/setup", "second-factor/recovery-codes"];
    const listener: Plugin = {
      name: "listener",
      setup({ hooks }) {
        for (const name of pages) {
          hooks.page.for(name).tap("listener", () => void shown.push(name));
        }
      },
    };
    const { app } = await createAdasApp({ use: [listener] });
    await read(await openPaused(app), CHALLENGE);
    expect(shown).toEqual([pages[1], pages[2], pages[0]]);
  });

  it("no part of the pages is dropped as invalid", async () => {
    const { app } = await createAdasApp();
    await read(await openPaused(app), CHALLENGE);
    await read(app.browser, SETUP);
    expect(app.log.warnings).not.toContain("page-dropped");
  });
});

describe("odd inputs to the second factor", () => {
  it("odd texts as code are refused like any wrong code", async () => {
    using clock = createClock();
    const { app, factor } = await createAdasApp();
    const browser = await openPaused(app);
    const csrfToken = await browser.csrfToken();
    for (const code of ODD_TEXTS) {
      const response = await browser.post(CHALLENGE, { csrfToken, code });
      expect(locationOf(response)).toBe(`${CHALLENGE}?error=InvalidSecondFactor`);
      expect(parseRecoveryCode(code)).toBeUndefined();
      expect(await findStep(factor.key, code, 1)).toBeUndefined();
    }
    expect(await isSignedIn(browser)).toBe(false);
    clock.advance("16 minutes");
    expect(locationOf(await answer(await openPaused(app), codeOf(factor)))).toBe("/inbox");
  });

  it("odd texts as the sealed key of the set-up are refused", async () => {
    const { browser } = createFactorApp();
    await enterPassword(browser);
    const csrfToken = await browser.csrfToken();
    for (const setup of ODD_TEXTS) {
      const response = await browser.post(SETUP, { csrfToken, setup, code: "123456" });
      expect(locationOf(response)).toBe(`${SETUP}?error=InvalidCheck`);
    }
  });

  it("users with odd names, addresses and ids can set up and use a second factor", async () => {
    for (const given of ODD_TEXTS) {
      using clock = createClock();
      // A paused login that a server would refuse is refused (`login.test.ts`).
      const text = given.slice(0, 2000);
      const id = isStorable(text) ? text.slice(0, 100) : "of no text";
      const user = { id: `id ${id}`, name: text, email: text };
      const app = createFactorApp({
        strategy: "jwt",
        providers: [credentials({ authorize: () => ({ ...user }) })],
      });
      await enterPassword(app.browser);
      const factor = await setUp(app.browser);
      const browser = await openPaused(app);
      clock.advance("30 seconds");
      expect(locationOf(await answer(browser, codeOf(factor)))).toBe("/inbox");
    }
  });

  it("codes are accepted in Arabic, Persian and full-width digits, and with spaces", async () => {
    using clock = createClock();
    const { factor } = await createAdasApp();
    const code = codeOf(factor);
    const inDigits = (zero: number) =>
      code.replaceAll(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
    const step = Math.floor(clock.now / 30_000);
    for (const typed of [
      code,
      ` ${code.slice(0, 3)} ${code.slice(3)} `,
      `${code.slice(0, 3)}-${code.slice(3)}`,
      inDigits(0x660),
      inDigits(0x6f0),
      inDigits(0xff10),
    ]) {
      expect(await findStep(factor.key, typed, 1)).toBe(step);
    }
    for (const typed of [code.slice(0, 5), `${code}0`, `0${code}`, `+${code}`, `${code}.0`]) {
      expect(await findStep(factor.key, typed, 1)).toBeUndefined();
    }
  });
});
