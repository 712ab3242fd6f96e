import { describe, expect, it } from "vitest";
import { senderOf } from "../../plugins/flows/email/address.ts";
import { durationIn, readingFor } from "../../plugins/flows/email/language.ts";
import { type MailContent, writeMail } from "../../plugins/flows/email/mail.ts";
import { ENGLISH } from "../../plugins/flows/email/messages.ts";
import { acceptedLanguages, createCatalogue } from "../../src/messages.ts";
import { all, parse } from "../pages/_parse.ts";

const url =
  "https://app.example.com/auth/callback/mail?callbackUrl=https%3A%2F%2Fapp.example.com%2F&token=00ff&email=ada%40example.com";

const catalogue = createCatalogue();
catalogue.addMessages("en", ENGLISH);
const english = readingFor(catalogue, []);

function mailOf(changes: Partial<MailContent> = {}) {
  return writeMail({
    to: "ada@example.com",
    from: senderOf("Acme <no-reply@acme.example>"),
    url,
    theme: {},
    maxAge: 86_400,
    reading: english,
    ...changes,
  });
}

describe("the mail", () => {
  it("is good to read as text", () => {
    const { subject, text } = mailOf();
    expect(subject).toBe("Sign in to app.example.com");
    expect(text).toBe(
      `Sign in to app.example.com\n\nOpen this link to sign in:\n${url}\n\n` +
        "The link works once, for 24 hours.\n\n" +
        "If you did not ask for this mail, you can ignore it. Nobody can sign in without the link, " +
        "so do not pass it on.\n",
    );
  });

  it("is HTML with one link, twice, and nothing from elsewhere", () => {
    const { html } = mailOf();
    const tree = parse(html);
    expect(all(tree, "a").map(({ href }) => href)).toEqual([url, url]);
    const attributes = tree.tags.flatMap((tag) => Object.entries(tag.attributes));
    const remote = attributes.filter(([name, value]) => name !== "href" && /:\/\//.test(value));
    expect(remote).toEqual([]);
    expect(tree.tags.map(({ name }) => name)).not.toContain("img");
    expect(tree.tags.map(({ name }) => name)).not.toContain("script");
    expect(`${tree.style}${html}`).not.toMatch(/url\(|@import/);
    // No mail program makes a link of a host with a break in it.
    expect(tree.texts).toContain("Sign in to app\u200b.example\u200b.com");
    expect(html.length).toBeLessThan(8000);
  });

  it("is light and dark, or what the theme says", () => {
    expect(mailOf().html).toContain("@media(prefers-color-scheme:dark)");
    for (const colorScheme of ["light", "dark"] as const) {
      const { html } = mailOf({ theme: { colorScheme } });
      expect(html).not.toContain("@media");
      expect(html).toContain(`content="${colorScheme} only"`);
    }
  });

  it("has a button in the theme's colours, with ink that can be read", () => {
    const button = (theme: object) =>
      /<td bgcolor="([^"]*)".*?;color:([^;]*);text-decoration/s
        .exec(mailOf({ theme }).html)
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

  it("prints nothing unescaped, in no part", () => {
    const evil = `https://app.example.com/?a="><script>alert(1)</script>&b=<b>`;
    const mail = mailOf({
      url: evil,
      reading: {
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
});

describe("the language", () => {
  const given = {
    de: { subject: "Bei {host} anmelden", button: "Anmelden" },
    "pt-BR": { subject: "Entrar" },
    ar: { direction: "rtl" },
    en: { notice: "Ours." },
  } as const;

  it.each([
    [null, "en"],
    ["", "en"],
    ["de", "de"],
    ["de-CH, fr;q=0.9", "de"],
    ["fr, de;q=0.3, en;q=0.8", "en"],
    ["PT-br", "pt-BR"],
    ["pt", "en"],
    ["de;q=0, ar;q=0.1", "ar"],
    ["*", "en"],
    ["de;q=x, ar", "ar"],
    [`${"x,".repeat(50_000)}de`, "en"],
    ["__proto__, constructor", "en"],
  ])("%j is read as %s", (header, language) => {
    expect(readingFor(catalogue, acceptedLanguages(header), given).language).toBe(language);
  });

  it("falls back text by text", () => {
    const { messages } = readingFor(catalogue, ["de"], given);
    expect(messages.button).toBe("Anmelden");
    expect(messages.notice).toBe("Ours.");
    expect(messages.heading).toBe("Sign in to {host}");
    expect(mailOf({ reading: readingFor(catalogue, ["de"], given) }).subject).toBe(
      "Bei app.example.com anmelden",
    );
    expect(mailOf({ reading: readingFor(catalogue, ["ar"], given) }).html).toContain(
      'lang="ar" dir="rtl"',
    );
  });

  it("is complete in English, and nowhere knows other texts", () => {
    expect(Object.keys(english.messages).toSorted()).toEqual(
      "button direction fallback heading invitation notice subject validity".split(" "),
    );
    for (const text of Object.values(english.messages)) expect(text).not.toMatch(/^mail\./);
  });

  it("says how long in words", () => {
    const cases: [number, string][] = [
      [86_400, "24 hours"],
      [3600, "1 hour"],
      [172_800, "2 days"],
      [600, "10 minutes"],
      [5400, "90 minutes"],
      [90, "1 minute"],
      [30, "30 seconds"],
    ];
    for (const [seconds, words] of cases) expect(durationIn("en", seconds)).toBe(words);
    expect(durationIn("de", 86_400)).toBe("24 Stunden");
  });
});

describe("a sender", () => {
  it.each([
    ["a@b.example", undefined, "a@b.example", "a@b.example"],
    ["Acme <a@b.example>", "Acme", "a@b.example", "Acme <a@b.example>"],
    ['"Acme, Inc." <a@b.example>', "Acme, Inc.", "a@b.example", '"Acme, Inc." <a@b.example>'],
    ["Acme (EU) <a@b.example>", "Acme (EU)", "a@b.example", '"Acme (EU)" <a@b.example>'],
    ["<a@b.example>", undefined, "a@b.example", "a@b.example"],
    ["Jörg <A@b.example>", "Jörg", "A@b.example", '"Jörg" <A@b.example>'],
  ])("%j", (text, name, address, shown) => {
    expect(senderOf(text)).toEqual({ ...(name && { name }), address, text: shown });
  });

  it.each(["", "Acme", "<>", "a@b, c@d", "A <a@b> B <c@d>", "A\n <a@b>", "A <a@b\n>"])(
    "%j is none",
    (text) => expect(senderOf(text)).toBeUndefined(),
  );
});
