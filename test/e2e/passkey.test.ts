import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import { build } from "esbuild";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { StoreAdapter } from "../../plugins/adapters/store.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/node.ts";
import type { AuthClient } from "../../src/client.ts";
import { providerAt } from "../../src/kernel.ts";
import type { Plugin, ProviderBase } from "../../src/types.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { closeAll, isLeftOut, launch } from "./_chromium.ts";

/** Folder for screenshots. */
const pictures = process.env.KEYHOOK_PICTURES;

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const ADA = "ada@example.com";

/** Adds a passkey form to a page of the application, here the sign-out page. */
const offerToAdd: Plugin = {
  name: "offer-to-add",
  setup({ hooks, flow, providers }) {
    hooks.page.for("signout").tap("offer-to-add", async (page, ctx) => {
      const provider = providerAt(ctx, providers.get("passkey") as ProviderBase);
      const block = flow("webauthn").form?.(provider, ctx, await ctx.translator());
      if (block?.kind !== "form") return page;
      const { action, script } = block.form;
      const csrfToken = await ctx.csrfToken();
      const hidden = { action: "register", csrfToken };
      const form = { action, hidden, submit: "Add a passkey", ...(script && { script }) };
      return { ...page, blocks: [...page.blocks, { kind: "form", form }] };
    });
  },
};

/** A visitor with a virtual authenticator. */
interface Visitor {
  context: BrowserContext;
  page: Page;
  cdp: CDPSession;
  authenticatorId: string;
}

describe.skipIf(isLeftOut)("passkeys in a browser", () => {
  let server: Server;
  let browser: Browser;
  let origin: string;
  let adapter: StoreAdapter;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];

  beforeAll(async () => {
    browser = await launch();
    server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    adapter = adapterOn(memoryBackend());
    const auth = createAuth({
      secret: "keyhook-test-secret-0123456789abcdef",
      env: { NODE_ENV: "test", AUTH_URL: origin },
      experimental: { enableWebAuthn: true },
      logger: { error() {}, warn() {}, debug() {} },
      adapter,
      providers: [
        {
          id: "password",
          name: "a password",
          type: "credentials",
          credentials: { username: {} },
          authorize: () => null,
        },
      ],
    })
      .use(passkeyPlugin())
      .use(offerToAdd);
    server.on("request", (request, response) => {
      if (!request.url?.startsWith("/auth/")) {
        response.setHeader("content-type", "text/html");
        return void response.end("<!doctype html><title>home</title><h1>home</h1>");
      }
      auth.handler(request, response, () => response.end());
    });
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  afterEach(async () => {
    await closeAll(contexts);
    contexts = [];
    const seen = complaints;
    complaints = [];
    expect(seen).toEqual([]);
  });

  /** Lists the buttons that look primary. */
  const listPrimary = (page: Page): Promise<string[]> =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button")]
        .filter(
          (button) => button.checkVisibility() && getComputedStyle(button).fontWeight === "600",
        )
        .map((button) => button.innerText),
    );

  /**
   * Creates a visitor. With `offers`, the browser accepts an offered passkey immediately, as the
   * simulated presence does.
   */
  async function visitor({
    javaScriptEnabled = true,
    offers = false,
    credentials = [] as object[],
  } = {}): Promise<Visitor> {
    const context = await browser.newContext({ javaScriptEnabled });
    contexts.push(context);
    context.on("console", (message) => {
      // Violations of the policy are reported here too. Some tests are about rejected requests.
      const isRefusal = message.text().includes("the server responded with a status of 4");
      if (message.type() === "error" && !isRefusal) complaints.push(message.text());
    });
    context.on("weberror", (error) => complaints.push(String(error.error())));
    context.on("request", (request) => {
      if (new URL(request.url()).origin !== origin) complaints.push(`asked ${request.url()}`);
    });
    const page = await context.newPage();
    page.setDefaultTimeout(8000);
    if (!offers) {
      await page.addInitScript(() => {
        PublicKeyCredential.isConditionalMediationAvailable = async () => false;
      });
    }
    const cdp = await context.newCDPSession(page);
    await cdp.send("WebAuthn.enable", { enableUI: false });
    const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        ctap2Version: "ctap2_1",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    for (const credential of credentials) {
      await cdp.send("WebAuthn.addCredential", { authenticatorId, credential } as never);
    }
    return { context, page, cdp, authenticatorId };
  }

  const held = async ({ cdp, authenticatorId }: Visitor) =>
    (await cdp.send("WebAuthn.getCredentials", { authenticatorId })).credentials;

  const signedIn = async ({ context }: Visitor) => {
    const response = await context.request.get(`${origin}/auth/session`);
    return ((await response.json()) as { user?: { email?: string } } | null)?.user?.email;
  };

  async function faults(page: Page): Promise<string[]> {
    await page.evaluate(AXE);
    const { violations } = await page.evaluate<AxeResults, string[]>(
      // Runs in the browser, where the library was just loaded.
      (values) =>
        (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
          runOnly: { type: "tag", values },
        }),
      RULES,
    );
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }

  async function openSignIn(who: Visitor): Promise<void> {
    await who.page.goto(`${origin}/auth/signin`);
    await who.page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  }

  async function register(who: Visitor, email: string): Promise<void> {
    await openSignIn(who);
    await who.page.getByLabel("Email").fill(email);
    await who.page.getByRole("button", { name: "Sign up with a passkey" }).click();
  }

  async function signOut({ context }: Visitor): Promise<void> {
    await context.clearCookies();
  }

  it("a new passkey is registered, and signs in by the button", async () => {
    const who = await visitor();
    await register(who, ADA);
    await who.page.waitForURL(`${origin}/`);
    expect(await signedIn(who)).toBe(ADA);
    expect((await held(who)).length).toBe(1);

    await signOut(who);
    await openSignIn(who);
    if (pictures) await who.page.screenshot({ path: join(pictures, "passkey-signin.png") });
    await who.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await who.page.waitForURL(`${origin}/`);
    expect(await signedIn(who)).toBe(ADA);

    expect((await held(who))[0]?.signCount).toBe(2);
  });

  it("a button that is pressed twice asks for the passkey again, and reports no failure", async () => {
    const who = await visitor({ offers: true });
    const { page, cdp, authenticatorId } = who;
    await register(who, "twice@example.com");
    await page.waitForURL(`${origin}/`);
    await signOut(who);
    const setPresence = (enabled: boolean) =>
      cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    await setPresence(false);
    await openSignIn(who);
    const status = page.getByRole("status");
    const button = page.getByRole("button", { name: "Sign in with a passkey" });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await button.click();
    await expect.poll(() => asked.length).toBe(1);
    await button.click();
    await expect.poll(() => asked.length).toBe(2);
    // The second request aborts the first, which no offer may replace.
    await page.waitForTimeout(300);
    expect(asked).toHaveLength(2);
    expect(await status.isVisible()).toBe(false);
    await setPresence(true);
    await button.click();
    await page.waitForURL(`${origin}/`);
    expect(await signedIn(who)).toBe("twice@example.com");
  });

  it("a press of the button is not aborted by the page's offer, whose options arrive later", async () => {
    const { page, cdp, authenticatorId } = await visitor({ offers: true });
    await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled: false });
    let release = () => {};
    const late = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    await page.route("**/webauthn-options/**", async (route) => {
      if (++asked === 1) await late;
      // The page has canceled the first request.
      await route.continue().catch(() => {});
    });
    await page.goto(`${origin}/auth/signin`);
    await expect.poll(() => asked).toBe(1);
    const answered = page.waitForResponse(/webauthn-options/);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await answered;
    release();
    await page.waitForTimeout(300);
    // The request did not fail, and no new offer followed a failure.
    expect(await page.getByRole("status").textContent()).toBe("");
    expect(asked).toBe(2);
  });

  it("the page renews its offer after the computer slept, because the challenge has expired", async () => {
    const { page } = await visitor({ offers: true });
    await page.addInitScript(() => {
      const ticks: (() => void)[] = [];
      const { now } = Date;
      let slept = 0;
      // Timers are suspended during sleep.
      globalThis.setInterval = ((run: () => void) => ticks.push(run)) as never;
      Date.now = () => now() + slept;
      const wake = (time: number) => {
        slept += time;
        for (const tick of ticks) tick();
      };
      Object.assign(globalThis, { wake });
    });
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("webauthn-options")) asked.push(request.url());
    });
    await page.goto(`${origin}/auth/signin`);
    await expect.poll(() => asked.length).toBe(1);
    await page.evaluate("wake(60_000)");
    await page.waitForTimeout(200);
    expect(asked).toHaveLength(1);
    await page.evaluate("wake(8 * 3_600_000)");
    await expect.poll(() => asked.length).toBe(2);
  });

  it("a page from the back/forward cache does not register a passkey when the user chose to sign in", async () => {
    const who = await visitor();
    const { page } = who;
    await register(who, "back@example.com");
    await page.waitForURL(`${origin}/`);
    await openSignIn(who);
    // The state of a page after a registration: browsers that keep the page show it again after
    // Back.
    await page.evaluate(() => {
      const field = Object.assign(document.createElement("input"), { type: "hidden" });
      Object.assign(field, { name: "action", value: "register" });
      document.querySelector("form[data-live]")!.append(field);
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    });
    await page.waitForFunction(() => !document.querySelector("input[name=action]"));
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(`${origin}/`);
    expect(await signedIn(who)).toBe("back@example.com");
  });

  it("the status of a passkey form exists for screen readers before it reports a failure", async () => {
    const who = await visitor();
    await openSignIn(who);
    const listStatus = async () => {
      const { nodes } = await who.cdp.send("Accessibility.getFullAXTree");
      return nodes.filter(({ role, ignored }) => role?.value === "status" && !ignored).length;
    };
    expect(await listStatus()).toBe(1);
    const gap = () =>
      who.page.evaluate(() => {
        const [form, status, next] = ["form[data-live]", "[data-failed]", "[data-failed]+*"].map(
          (selector) => document.querySelector(selector)!.getBoundingClientRect(),
        );
        return [status!.height, next!.top - form!.bottom];
      });
    // Same as without the form: the gap of the page and the margin of the divider.
    expect(await gap()).toEqual([0, 22]);
    await who.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await who.page.getByRole("status").getByText("failed").waitFor();
    expect(await listStatus()).toBe(1);
  });

  it("a passkey that the browser offers signs in without a click", async () => {
    const email = "offered@example.com";
    const who = await visitor();
    await register(who, email);
    await who.page.waitForURL(`${origin}/`);
    const other = await visitor({ offers: true, credentials: await held(who) });
    await other.page.goto(`${origin}/auth/signin`);
    await other.page.waitForURL(`${origin}/`);
    expect(await signedIn(other)).toBe(email);
  });

  it("a second passkey is added on another machine, and rejected on the same one", async () => {
    const email = "second@example.com";
    const who = await visitor();
    await register(who, email);
    await who.page.waitForURL(`${origin}/`);
    const user = await adapter.getUserByEmail(email);
    const count = async () => (await adapter.listAuthenticatorsByUserId(user?.id ?? "")).length;

    // The authenticator sees that its passkey is excluded.
    await register(who, email);
    await who.page.getByText("The passkey request failed or was canceled.").waitFor();
    expect(await count()).toBe(1);

    const other = await visitor();
    await other.context.addCookies(await who.context.cookies());
    await register(other, email);
    await other.page.waitForURL(`${origin}/`);
    expect(await count()).toBe(2);
    await signOut(other);
    await openSignIn(other);
    await other.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await other.page.waitForURL(`${origin}/`);
    expect(await signedIn(other)).toBe(email);
  });

  it("a form of another page registers a passkey", async () => {
    const email = "added@example.com";
    const who = await visitor();
    await register(who, email);
    await who.page.waitForURL(`${origin}/`);
    const other = await visitor();
    await other.context.addCookies(await who.context.cookies());
    await other.page.goto(`${origin}/auth/signout`);
    await other.page.getByRole("button", { name: "Add a passkey" }).click();
    await other.page.waitForURL(`${origin}/`);
    const user = await adapter.getUserByEmail(email);
    expect((await adapter.listAuthenticatorsByUserId(user?.id ?? "")).length).toBe(2);
    expect(await signedIn(other)).toBe(email);
  });

  it("passkeys are added and removed on the account page", async () => {
    const email = "account@example.com";
    const who = await visitor();
    await register(who, email);
    await who.page.waitForURL(`${origin}/`);
    const other = await visitor();
    await other.context.addCookies(await who.context.cookies());
    await other.page.goto(`${origin}/auth/account`);
    expect(await other.page.getByText("On one device only").count()).toBe(1);
    await other.page.getByRole("button", { name: "Add a passkey" }).click();
    await other.page.getByText("Passkey 2").waitFor();
    expect(new URL(other.page.url()).pathname).toBe("/auth/account");
    if (pictures) await other.page.screenshot({ path: join(pictures, "passkey-account.png") });
    await other.page.getByRole("button", { name: "Remove passkey 2" }).click();
    await other.page.getByRole("status").getByText("saved").waitFor();
    expect(await other.page.getByText("Passkey 2").count()).toBe(0);
  });

  it("after an older sign-in, adding a passkey redirects to a sign-in and back", async () => {
    const email = "older@example.com";
    const who = await visitor();
    await register(who, email);
    await who.page.waitForURL(`${origin}/`);
    const { getSessionStart } = adapter;
    adapter.getSessionStart = () => new Date(0);
    await who.page.goto(`${origin}/auth/account`);
    await who.page.getByRole("button", { name: "Add a passkey" }).click();
    await who.page.waitForURL(/\/auth\/signin\?error=FreshSessionRequired/);
    expect(await who.page.getByText("sign in again before you make this change").count()).toBe(1);
    adapter.getSessionStart = getSessionStart;
    await who.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await who.page.waitForURL(`${origin}/auth/account`);
    expect(await signedIn(who)).toBe(email);
  });

  it("createAuthClient registers and uses passkeys on a page of the application", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents:
          'import { createAuthClient } from "./src/client.ts"; globalThis.client = createAuthClient()',
        resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
      },
      bundle: true,
      format: "iife",
      write: false,
    });
    const who = await visitor();
    await who.page.goto(`${origin}/`);
    await who.page.addScriptTag({ content: outputFiles[0]?.text ?? "" });
    const call = (verb: "registerPasskey" | "signInWithPasskey", options: object = {}) =>
      who.page.evaluate(
        async ([name, given]) => {
          const { client } = globalThis as unknown as { client: AuthClient };
          return client[name]({ redirect: false, ...given });
        },
        [verb, options] as const,
      );
    const failed = { ok: false, status: 0, url: null };
    expect(await call("registerPasskey")).toEqual({
      ...failed,
      error: "PasskeyRefused",
      status: 400,
    });
    const fields = { email: "own@example.com", redirectTo: "/welcome" };
    expect(await call("registerPasskey", fields)).toEqual({
      ok: true,
      status: 200,
      url: `${origin}/welcome`,
    });
    expect(await signedIn(who)).toBe("own@example.com");
    expect(await call("registerPasskey")).toEqual({ ...failed, error: "InvalidStateError" });
    await signOut(who);
    expect(await call("signInWithPasskey")).toMatchObject({ ok: true });
    expect(await signedIn(who)).toBe("own@example.com");
    await signOut(who);
    const user = await adapter.getUserByEmail("own@example.com");
    const [passkey] = await adapter.listAuthenticatorsByUserId(user?.id ?? "");
    await adapter.deleteAuthenticator(passkey?.credentialID ?? "", user?.id ?? "");
    expect(await call("signInWithPasskey")).toEqual({
      ok: false,
      error: "WebAuthnVerificationError",
      status: 200,
      url: `${origin}/auth/error?error=WebAuthnVerificationError`,
    });
    expect(await signedIn(who)).toBeUndefined();
  });

  it.each(["light", "dark"] as const)(
    "the sign-in page with passkeys passes axe, also after a failure, %s (WCAG 2.2 AA)",
    async (colorScheme) => {
      const who = await visitor();
      await who.page.emulateMedia({ colorScheme });
      const look = async (name: string) => {
        for (const [width, height] of [
          [320, 640],
          [1200, 900],
        ] as const) {
          await who.page.setViewportSize({ width, height });
          expect(await faults(who.page), `${name} at ${width}`).toEqual([]);
        }
      };
      await openSignIn(who);
      await look("sign-in");
      await who.page.getByRole("button", { name: "Sign in with a passkey" }).click();
      const told = who.page.locator("[data-failed]");
      await told.filter({ hasText: /\w/ }).waitFor();
      expect(await told.getAttribute("role")).toBe("status");
      await look("after a failure");
      await who.page.goto(`${origin}/auth/signin?error=WebAuthnVerificationError`);
      await look("with an error");
    },
  );

  it("no button color fades when the passkey form appears, so that its text is readable at once", async () => {
    const who = await visitor();
    await who.page.addInitScript(() => {
      const faded: string[] = [];
      Object.assign(globalThis, { faded });
      document.addEventListener("transitionrun", ({ target, propertyName }) => {
        if ((target as Element).matches("button")) faded.push(propertyName);
      });
    });
    await openSignIn(who);
    // Two frames: by then, a transition that the form's appearance starts has begun.
    const faded = await who.page.evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() =>
            requestAnimationFrame(() =>
              resolve((globalThis as unknown as { faded: string[] }).faded),
            ),
          );
        }),
    );
    expect(faded).toEqual([]);
  });

  it("registering without an address focuses the invalid field and creates no passkey", async () => {
    const who = await visitor();
    await openSignIn(who);
    await who.page.getByRole("button", { name: "Sign up with a passkey" }).click();
    await who.page.waitForFunction(() => document.activeElement?.matches(":invalid"));
    expect(who.page.url()).toBe(`${origin}/auth/signin`);
    expect((await held(who)).length).toBe(0);
  });

  it("a passkey without user verification does not sign in", async () => {
    const email = "verified@example.com";
    const who = await visitor();
    await register(who, email);
    await who.page.waitForURL(`${origin}/`);
    await signOut(who);
    const { authenticatorId } = who;
    await openSignIn(who);
    await who.cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await who.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await who.page.getByText("The passkey request failed or was canceled.").waitFor();
    expect(await signedIn(who)).toBeUndefined();
  });

  it("an unknown or removed passkey does not sign in", async () => {
    const email = "removed@example.com";
    const who = await visitor();
    await register(who, email);
    await who.page.waitForURL(`${origin}/`);
    const user = await adapter.getUserByEmail(email);
    const [passkey] = await adapter.listAuthenticatorsByUserId(user?.id ?? "");
    await adapter.deleteAuthenticator(passkey?.credentialID ?? "", user?.id ?? "");
    await signOut(who);
    await openSignIn(who);
    await who.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await who.page.waitForURL(/error=WebAuthnVerificationError/);
    expect(await who.page.getByRole("alert").textContent()).toContain(
      "We couldn’t verify your passkey",
    );
    if (pictures) await who.page.screenshot({ path: join(pictures, "passkey-refused.png") });
    expect(await signedIn(who)).toBeUndefined();
  });

  it("a passkey response is accepted once", async () => {
    const email = "replayed@example.com";
    const who = await visitor();
    await register(who, email);
    await who.page.waitForURL(`${origin}/`);
    await signOut(who);
    await openSignIn(who);
    const posted = who.page.waitForRequest((request) => request.url().includes("/callback/"));
    await who.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    const body = (await posted).postData() ?? "";
    const sent = (await (await posted).allHeaders()).cookie ?? "";
    await who.page.waitForURL(`${origin}/`);
    const again = await fetch(`${origin}/auth/callback/passkey`, {
      method: "POST",
      headers: { cookie: sent, origin, "content-type": "application/x-www-form-urlencoded" },
      body,
      redirect: "manual",
    });
    expect(again.headers.get("location")).toContain("error=InvalidCheck");
    expect(again.headers.getSetCookie().join()).not.toContain("session-token");
  });

  it("with scripts the first button of the sign-in page is its primary one", async () => {
    const { page } = await visitor();
    await page.goto(`${origin}/auth/signin`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    expect(await listPrimary(page)).toEqual(["Sign in with a passkey"]);
  });

  it("without JavaScript the sign-in page shows the other methods and explains why", async () => {
    const { page } = await visitor({ javaScriptEnabled: false });
    await page.goto(`${origin}/auth/signin`);
    expect(await page.getByRole("button").allTextContents()).toEqual(["Sign in with a password"]);
    await page.getByText("Passkeys need JavaScript and a browser that supports them").waitFor();
    expect(await listPrimary(page)).toEqual(["Sign in with a password"]);
    if (pictures) await page.screenshot({ path: join(pictures, "passkey-no-script.png") });
  });

  it("the passkey script is immutable, and the page's policy blocks other scripts", async () => {
    const { page } = await visitor();
    const response = await page.goto(`${origin}/auth/signin`);
    const policy = response?.headers()["content-security-policy"] ?? "";
    expect(policy).toMatch(/script-src 'nonce-[\w-]+';/);
    expect(policy).not.toContain("unsafe");
    const src = (await page.locator("script").getAttribute("src")) ?? "";
    expect(src).toMatch(/^http:\/\/localhost:\d+\/auth\/passkey-[0-9a-f]{16}\.js$/);
    const script = await fetch(src);
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(script.headers.get("set-cookie")).toBeNull();
    await page.evaluate(() => {
      const planted = document.createElement("script");
      planted.textContent = "globalThis.planted = true";
      document.body.append(planted);
    });
    expect(await page.evaluate(() => "planted" in globalThis)).toBe(false);
    expect(complaints.splice(0).join()).toContain("Content Security Policy");
  });
});
