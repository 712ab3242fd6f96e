import { describe, expect, it } from "vitest";
import { memoryStore } from "../../plugins/stores/memory.ts";
import type { Flow, Identity, Plugin } from "../../src/types.ts";
import { acme, createTestAuth, plainAdapter, queryOf, Rows } from "../_app.ts";

/** A flow of another package whose callback returns what the test sets. */
const answers = (answer: unknown): Plugin => ({
  name: "flows/broken",
  provides: ["flow:oauth"],
  setup: (kernel) => kernel.addFlow("oauth", { finish: () => answer } as Flow as never),
});

const IDENTITY: Identity = { user: { name: "Ada" }, account: { providerAccountId: "ada" } };

async function signIn(answer: unknown, options: Parameters<typeof createTestAuth>[0] = {}) {
  const app = createTestAuth({ providers: [acme()], use: [answers(answer)], ...options });
  const response = await app.browser.get("/auth/callback/acme");
  return { ...app, response };
}

describe("identities that a flow returns", () => {
  const wrong: [string, unknown, string][] = [
    ["nothing", undefined, "neither a Response nor an identity"],
    ["null", null, "neither a Response nor an identity"],
    ["a number", 5, "neither a Response nor an identity"],
    ["a list", [IDENTITY], "neither a Response nor an identity"],
    ["no user", { account: IDENTITY.account }, "no `user`"],
    ["a user that is text", { ...IDENTITY, user: "Ada" }, "no `user`"],
    ["no account", { user: IDENTITY.user }, "no `account`"],
    ["no account id", { ...IDENTITY, account: {} }, "no `account.providerAccountId`"],
    [
      "an empty account id",
      { ...IDENTITY, account: { providerAccountId: "" } },
      "no `account.providerAccountId`",
    ],
    [
      "a blank account id",
      { ...IDENTITY, account: { providerAccountId: " \t" } },
      "no `account.providerAccountId`",
    ],
    [
      "an account id that is a number",
      { ...IDENTITY, account: { providerAccountId: 7 } },
      "no `account.providerAccountId`",
    ],
    [
      "an account id of 2,049 characters",
      { ...IDENTITY, account: { providerAccountId: "x".repeat(2049) } },
      "no `account.providerAccountId`",
    ],
  ];

  it.each(wrong)(
    "%s is refused with an error that names flow and provider",
    async (_, answer, text) => {
      const { response, browser, log } = await signIn(answer);
      expect(queryOf(response)).toEqual({ error: "Configuration" });
      expect(await browser.session()).toBeNull();
      const [error] = log.expectErrors("InvalidIdentity");
      expect(error?.message).toContain('The flow "oauth" (provider "acme") returned');
      expect(error?.message).toContain(text);
    },
  );

  it("an empty account id does not give the second visitor the account of the first", async () => {
    const rows = new Rows();
    const answer = { ...IDENTITY, account: { providerAccountId: "" } };
    const { log } = await signIn(answer, { adapter: plainAdapter(rows), strategy: "jwt" });
    expect(rows.users).toEqual([]);
    log.expectErrors("InvalidIdentity");
  });

  it("provider and type of the account are those of the request, whatever the flow claims", async () => {
    const rows = new Rows();
    const account = { providerAccountId: "1", provider: "github", type: "credentials" };
    const { response } = await signIn(
      { ...IDENTITY, account },
      { adapter: plainAdapter(rows), strategy: "jwt" },
    );
    expect(queryOf(response)).toEqual({});
    expect(rows.accounts).toMatchObject([
      { provider: "acme", type: "oauth", providerAccountId: "1" },
    ]);
  });

  it("an account id that needs no adapter signs in with its user", async () => {
    const { browser } = await signIn(IDENTITY, { use: [memoryStore(), answers(IDENTITY)] });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("signInFailed", () => {
  it("listeners learn provider and error of a failed authentication", async () => {
    const failures: unknown[] = [];
    const app = createTestAuth({
      providers: [acme()],
      events: { signInFailed: (failure) => void failures.push(failure) },
      use: [
        {
          name: "flows/thrower",
          provides: ["flow:oauth"],
          setup: (kernel) =>
            kernel.addFlow("oauth", {
              finish() {
                throw new Error("no answer");
              },
            }),
        },
      ],
    });
    await app.browser.get("/auth/callback/acme");
    expect(failures).toEqual([{ provider: "acme", error: new Error("no answer") }]);
    app.log.expectErrors("CallbackRouteError");
  });

  it("listeners learn the identity whose sign-in was refused", async () => {
    const failures: unknown[] = [];
    const { log } = await signIn(IDENTITY, {
      callbacks: { signIn: () => false },
      events: { signInFailed: (failure) => void failures.push(failure) },
    });
    const [error] = log.expectErrors("AccessDenied");
    expect(failures).toEqual([{ provider: "acme", error, identity: IDENTITY }]);
  });
});

describe("texts of an identity that databases refuse", () => {
  it("a profile's name is kept without NUL and lone surrogates", async () => {
    const rows = new Rows();
    const user = { name: "A\0d\ud800a \u{1f469}" };
    await signIn(
      { ...IDENTITY, user, profile: { sub: "ada" } },
      { adapter: plainAdapter(rows), strategy: "jwt" },
    );
    expect(rows.users).toMatchObject([{ name: "Ada \u{1f469}" }]);
  });

  it("other texts of a profile are also kept without them, and ids stay different", async () => {
    const rows = new Rows();
    const user = { name: "Ada", bio: "Countess \ud83d" };
    const { response } = await signIn(
      { ...IDENTITY, user, profile: { sub: "ada" } },
      { adapter: plainAdapter(rows), strategy: "jwt" },
    );
    expect(queryOf(response)).toEqual({});
    expect(rows.users).toMatchObject([{ bio: "Countess " }]);
  });

  it("an account id with NUL is a bad request, and does not reach the adapter", async () => {
    const rows = new Rows();
    const { response, log } = await signIn(
      { ...IDENTITY, account: { providerAccountId: "a\0b" } },
      { adapter: plainAdapter(rows), strategy: "jwt" },
    );
    expect(response.status).toBe(400);
    expect(rows.calls).toEqual([]);
    log.expectErrors();
  });
});

describe("the picture of an identity", () => {
  it.each([
    ["https://cdn.example/ada.png", true],
    ["http://cdn.example/ada.png", true],
    ["data:image/png;base64,AA==", true],
    ["javascript:alert(1)", false],
    [" java\nscript:alert(1)", false],
    ["data:text/html,<script>1</script>", false],
    ["blob:https://cdn.example/1", false],
    ["/relative.png", false],
    ["", false],
    [{ url: "https://cdn.example/ada.png" }, false],
  ])("a profile's %j is kept: %j", async (image, isKept) => {
    const user = { name: "Ada", image } as Identity["user"];
    const { browser } = await signIn({ ...IDENTITY, user, profile: { sub: "ada" } });
    const session = await browser.session<{ user: { image: unknown } }>();
    expect(session?.user.image).toBe(isKept ? image : null);
  });

  it("a picture that the application's own code returns without a profile is not checked", async () => {
    const { browser } = await signIn({ ...IDENTITY, user: { name: "Ada", image: "/ada.png" } });
    expect(await browser.session()).toMatchObject({ user: { image: "/ada.png" } });
  });
});
