import { describe, expect, it } from "vitest";
import { parseSender } from "../../plugins/flows/email/address.ts";
import { formatDuration, getMailTranslation } from "../../plugins/flows/email/language.ts";
import { type MailContent, writeMail } from "../../plugins/flows/email/mail.ts";
import { ENGLISH } from "../../plugins/flows/email/messages.ts";
import { parseAcceptLanguage, createCatalogue } from "../../src/i18n/messages.ts";
import { all, parse } from "../pages/_parse.ts";

const url =
  "https://app.example.com/auth/callback/mail?callbackUrl=https%3A%2F%2Fapp.example.com%2F&token=00ff&email=ada%40example.com";

const catalogue = createCatalogue();
catalogue.addMessages("en", ENGLISH);
const english = getMailTranslation(catalogue, []);

function writeTestMail(changes: Partial<MailContent> = {}) {
  return writeMail({
    to: "ada@example.com",
    from: parseSender("Acme <no-reply@acme.example>"),
    url,
    theme: {},
    maxAge: 86_400,
    translation: english,
    ...changes,
  });
}

describe("writeMail()", () => {
  it("the text part of the e-mail has the expected content", () => {
    const { subject, text } = writeTestMail();
    expect(subject).toBe("Sign in to app.example.com");
    expect(text).toBe(
      `Sign in to app.example.com\n\nOpen this link to sign in:\n${url}\n\n` +
        "This link expires in 24 hours and can be used once.\n\n" +
        "If you didn’t request this email, you can safely ignore it. Don’t forward it: anyone with " +
        "this link can sign in as you.\n",
    );
  });

  it("the HTML part contains one link, twice, and no remote content", () => {
    const { html } = writeTestMail();
    const tree = parse(html);
    expect(all(tree, "a").map(({ href }) => href)).toEqual([url, url]);
    const attributes = tree.tags.flatMap((tag) => Object.entries(tag.attributes));
    const remote = attributes.filter(([name, value]) => name !== "href" && /:\/\//.test(value));
    expect(remote).toEqual([]);
    expect(tree.tags.map(({ name }) => name)).not.toContain("img");
    expect(tree.tags.map(({ name }) => name)).not.toContain("script");
    expect(`${tree.style}${html}`).not.toMatch(/url\(|@import/);
    // A zero-width space in the host keeps mail programs from turning it into a link.
    expect(tree.texts).toContain("Sign in to app\u200b.example\u200b.com");
    expect(html.length).toBeLessThan(8000);
  });

  it("the HTML part supports light and dark, or only the theme's colorScheme", () => {
    expect(writeTestMail().html).toContain("@media(prefers-color-scheme:dark)");
    for (const colorScheme of ["light", "dark"] as const) {
      const { html } = writeTestMail({ theme: { colorScheme } });
      expect(html).not.toContain("@media");
      expect(html).toContain(`content="${colorScheme} only"`);
    }
  });

  it("the button has the theme's colors and a readable text color", () => {
    const button = (theme: object) =>
      /<td bgcolor="([^"]*)".*?;color:([^;]*);text-decoration/s
        .exec(writeTestMail({ theme }).html)
        ?.slice(1);
    expect(button({})).toEqual(["#2353d9", "#fff"]);
    expect(button({ brandColor: "#ffd400" })).toEqual(["#ffd400", "#000"]);
    expect(button({ brandColor: "#000", buttonText: "#abc" })).toEqual(["#000", "#abc"]);
    for (const brandColor of [
      "red;}</style><script>",
      "url(//evil.example)",
      "#12",
      "hsl(1 2% 3%)",
    ]) {
      expect(button({ brandColor })).toEqual(["#2353d9", "#fff"]);
    }
  });

  it("escapes every value in the HTML part, and line breaks in the subject", () => {
    const evil = `https://app.example.com/?a="><script>alert(1)</script>&b=<b>`;
    const mail = writeTestMail({
      url: evil,
      translation: {
        language: "en",
        messages: {
          ...english.messages,
          subject: "Hi\r\nBcc: eve@evil.example\u0000 {host}",
          heading: "<img src=x onerror=alert(1)> {host} {unknown}",
          button: "</a><b>",
          direction: '"><x' as "rtl",
        },
      },
      maxAge: 60,
    });
    const tree = parse(mail.html);
    const tags = new Set(tree.tags.map(({ name }) => name));
    for (const name of ["script", "img", "b", "x"]) expect(tags).not.toContain(name);
    expect(mail.subject).toBe("Hi Bcc: eve@evil.example app.example.com");
    expect(all(tree, "a")[0]?.href).toBe(evil);
  });

  it("the subject keeps joiners and marks within words", () => {
    // Persian words, an emoji of several characters, a soft hyphen, and the end of an address in a right-to-left text.
    for (const subject of [
      "می\u200cخواهید وارد شوید",
      "👩\u200d💻",
      "An\u00admeldung",
      "אל \u2068a.example\u2069",
    ]) {
      const messages = { ...english.messages, subject };
      const { subject: sent } = writeTestMail({ translation: { language: "en", messages } });
      expect(sent).toBe(subject);
    }
  });
});

describe("language of the e-mail", () => {
  const given = {
    de: { subject: "Bei {host} anmelden", button: "Anmelden" },
    "pt-BR": { subject: "Entrar" },
    ar: { direction: "rtl" },
    en: { notice: "Ours." },
  } as const;

  const headers: [header: string | null, language: string][] = [
    [null, "en"],
    ["", "en"],
    ["de", "de"],
    ["de-CH, fr;q=0.9", "de"],
    ["fr, de;q=0.3, en;q=0.8", "en"],
    ["PT-br", "pt-BR"],
    ["pt", "pt-BR"],
    ["de;q=0, ar;q=0.1", "ar"],
    ["*", "en"],
    ["de;q=x, ar", "ar"],
    [`${"x,".repeat(50_000)}de`, "en"],
    ["__proto__, constructor", "en"],
  ];
  it.each(
    headers.map(([header, language]) => [header?.slice(0, 40) ?? null, language, header] as const),
  )("Accept-Language %j selects %s", (_, language, header) => {
    expect(getMailTranslation(catalogue, parseAcceptLanguage(header), given).language).toBe(
      language,
    );
  });

  it("falls back to English for each missing message", () => {
    const { messages } = getMailTranslation(catalogue, ["de"], given);
    expect(messages.button).toBe("Anmelden");
    expect(messages.notice).toBe("Ours.");
    expect(messages.heading).toBe("Sign in to {host}");
    expect(
      writeTestMail({ translation: getMailTranslation(catalogue, ["de"], given) }).subject,
    ).toBe("Bei app.example.com anmelden");
    expect(
      writeTestMail({ translation: getMailTranslation(catalogue, ["ar"], given) }).html,
    ).toContain('lang="ar" dir="rtl"');
  });

  it("the English messages are complete and none of them is a bare key", () => {
    expect(Object.keys(english.messages).toSorted()).toEqual(
      "button code direction fallback heading invitation notice subject validity".split(" "),
    );
    for (const text of Object.values(english.messages)) expect(text).not.toMatch(/^mail\./);
  });

  it("formatDuration() formats seconds in words", () => {
    const cases: [number, string][] = [
      [86_400, "24 hours"],
      [3600, "1 hour"],
      [172_800, "2 days"],
      [600, "10 minutes"],
      [5400, "90 minutes"],
      [90, "1 minute"],
      [30, "30 seconds"],
    ];
    for (const [seconds, words] of cases) expect(formatDuration("en", seconds)).toBe(words);
    expect(formatDuration("de", 86_400)).toBe("24 Stunden");
  });
});

describe("parseSender()", () => {
  it.each([
    ["a@b.example", undefined, "a@b.example", "a@b.example"],
    ["Acme <a@b.example>", "Acme", "a@b.example", "Acme <a@b.example>"],
    ['"Acme, Inc." <a@b.example>', "Acme, Inc.", "a@b.example", '"Acme, Inc." <a@b.example>'],
    ["Acme (EU) <a@b.example>", "Acme (EU)", "a@b.example", '"Acme (EU)" <a@b.example>'],
    ["<a@b.example>", undefined, "a@b.example", "a@b.example"],
    ["Jörg <A@b.example>", "Jörg", "A@b.example", '"Jörg" <A@b.example>'],
    // Persian uses a joiner within words.
    ["می\u200cروم <a@b.example>", "می\u200cروم", "a@b.example", '"می\u200cروم" <a@b.example>'],
  ])("parses the sender %j", (text, name, address, shown) => {
    expect(parseSender(text)).toEqual({ ...(name && { name }), address, text: shown });
  });

  it.each([
    "",
    "Acme",
    "<>",
    "a@b.example, c@d.example",
    "A <a@b.example> B <c@d.example>",
    "A\r\nBcc: c@d.example <a@b.example>",
    "A\u0000 <a@b.example>",
    "A\ud800 <a@b.example>",
    "A <a@b.example\n>",
  ])("returns undefined for %j", (text) => expect(parseSender(text)).toBeUndefined());
});
