import { describe, expect, it } from "vitest";
import { germanPlugin } from "../../plugins/languages/de.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { definePlugin, type Provider, standardPreset } from "../../presets/index.ts";
import { createTestAuth, type TestAuthOptions, unservedOAuth } from "../_app.ts";
import { all, parse } from "./_parse.ts";

async function openSignIn(options: TestAuthOptions, language = "en") {
  const { browser } = createTestAuth({ preset: standardPreset, ...options });
  const headers = { "accept-language": language };
  const html = await (await browser.get("/auth/signin", { headers })).text();
  return { html, ...parse(html) };
}

const password = (fields: object, over: object = {}) =>
  ({
    id: "credentials",
    name: "Credentials",
    type: "credentials",
    credentials: fields,
    authorize: () => null,
    ...over,
  }) as Provider;

describe("order of the sign-in page", () => {
  it("methods that need one press come first, and one button is primary", async () => {
    const { html } = await openSignIn({
      store: memoryBackend(),
      providers: [password({ username: {} }), unservedOAuth("github", "GitHub")],
      mail: {},
      passkey: {},
    });
    const places = ["signin/github", "callback/passkey", "callback/credentials", "signin/mail"];
    const found = places.map((place) =>
      html.indexOf(`action="http://localhost:3000/auth/${place}`),
    );
    expect(found.every((at) => at > 0)).toBe(true);
    expect(found).toEqual(found.toSorted((one, other) => one - other));
    // The passkey button and, without scripts, the first button that needs none
    // (`test/e2e/passkey.test.ts`).
    const primary = all(parse(html), "button").filter((button) =>
      button.class?.includes("primary"),
    );
    expect(primary.map(({ id }) => id)).toEqual(["submitButton", "submitButton-credentials"]);
    // The field is above the button that needs it, and its label says so.
    const parts = [
      "Sign in with a passkey",
      "Email for your new account",
      "Sign up with a passkey",
    ];
    const order = parts.map((text) => html.indexOf(text));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });

  it("if no visitor may register a passkey, its field is only for autofill", async () => {
    const { texts } = await openSignIn({
      store: memoryBackend(),
      passkey: { registration: "closed" } as never,
    });
    expect(texts).toContain("Email");
    expect(texts).not.toContain("Email for your new account");
  });
});

describe("form of credentials in the visitor's language", () => {
  const fields = { username: {}, Password: { type: "password" }, one_time_code: {}, team: {} };

  it("known names have their labels, and the button describes its action", async () => {
    const provider = password(fields);
    const { texts } = await openSignIn(
      { providers: [provider], use: [germanPlugin()] },
      "de-CH,en",
    );
    expect(texts).toEqual(expect.arrayContaining(["Benutzername", "Passwort", "team", "Anmelden"]));
    expect(texts.join()).not.toContain("Credentials");
    expect((await openSignIn({ providers: [provider] })).texts).toContain("Username");
  });

  it("a label is a word, an id, a text per language, or any other text", async () => {
    const provider = password(
      {
        a: { label: "phone" },
        b: { label: "mine.shelf" },
        c: { label: { en: "Team", de: "Mannschaft" } },
        d: { label: { fr: "Équipe" } },
        e: { label: "Password" },
      },
      { name: "the club" },
    );
    const mine = definePlugin({
      name: "test/mine",
      setup(kernel) {
        kernel.addMessages("en", { "mine.shelf": "Shelf" });
        kernel.addMessages("de", { "mine.shelf": "Regal" });
      },
    });
    const german = await openSignIn({ providers: [provider], use: [germanPlugin(), mine] }, "de");
    const wanted = ["Telefonnummer", "Regal", "Mannschaft", "Équipe", "Password"];
    expect(all(german, "label").length).toBe(wanted.length);
    expect(german.texts).toEqual(expect.arrayContaining([...wanted, "Mit the club anmelden"]));
    const english = await openSignIn({ providers: [provider], use: [germanPlugin(), mine] });
    expect(english.texts).toEqual(
      expect.arrayContaining(["Phone number", "Shelf", "Team", "Équipe", "Password"]),
    );
  });
});
