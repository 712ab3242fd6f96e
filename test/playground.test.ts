import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PASSWORD } from "../playground/people.ts";
import { signInByCode } from "../playground/programs/device.ts";
import { signInByBrowser } from "../playground/programs/loopback.ts";
import { greet } from "../playground/programs/playground.ts";
import { startPlayground } from "../playground/start.ts";
import { memoryStore } from "../plugins/stores/memory.ts";
import { type Browser, createBrowser } from "../src/testing/testing.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-playground-"));
beforeEach(() => void vi.spyOn(process, "cwd").mockReturnValue(folder));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

it("the playground keeps users in the default store and shows sent e-mails at /outbox", async () => {
  const playground = await startPlayground(0);
  try {
    const { origin } = playground;
    const browser = createBrowser((request) => fetch(request), { origin });
    const asked = await browser.signIn("outbox", { email: "grace@example.com" });
    expect(asked.headers.get("location")).toContain(`${origin}/auth/verify-request`);
    const outbox = await (await browser.get("/outbox")).text();
    const [, link = ""] = /href="([^"]*\/auth\/callback\/outbox[^"]*)"/.exec(outbox) ?? [];
    const { pathname, search } = new URL(link.replaceAll("&amp;", "&"));
    const response = await browser.get(pathname + search);
    expect(response.status).toBe(302);
    expect(await browser.session()).toMatchObject({ user: { email: "grace@example.com" } });
    const records = readdirSync(join(folder, ".data/keyhook"), { recursive: true });
    expect(records.length).toBeGreaterThan(3);
    expect(readFileSync(join(folder, ".data/keyhook/.gitignore"), "utf8")).toBe("*\n");
    const inspector = await (
      await browser.get("/auth/inspector", { headers: { accept: "text/html" } })
    ).text();
    expect(inspector).toContain("<bdi>.data/keyhook</bdi>");
    expect(inspector).toContain("adapter-user");
  } finally {
    await playground.stop();
  }
});

it("the playground has an API for clients that send bearer tokens", async () => {
  const playground = await startPlayground(0);
  try {
    const { origin } = playground;
    const read = (token?: string) =>
      fetch(`${origin}/api/me`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
    expect((await read()).status).toBe(401);
    const body = new URLSearchParams({ username: "mira", password: PASSWORD });
    const signedIn = await fetch(`${origin}/api/auth/callback/credentials`, {
      method: "POST",
      body,
    });
    const token = signedIn.headers.get("set-auth-token") ?? "";
    expect(await (await read(token)).json()).toMatchObject({ name: "Mira Solberg" });
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${origin}/api/auth/signout`, { method: "POST", headers });
    expect((await read(token)).status).toBe(401);
  } finally {
    await playground.stop();
  }
});

it("the playground's API signs in no user with a second factor, because it cannot ask for the code", async () => {
  const playground = await startPlayground(0);
  try {
    const { origin } = playground;
    const person = { username: "tomas", password: PASSWORD };
    const post = () =>
      fetch(`${origin}/api/auth/callback/credentials`, {
        method: "POST",
        body: new URLSearchParams(person),
      });
    expect((await post()).headers.get("set-auth-token")).toBeTruthy();
    const browser = createBrowser((request) => fetch(request), { origin });
    await browser.signInWith("credentials", person);
    const page = await (await browser.get("/auth/second-factor/setup")).text();
    const read = (pattern: RegExp) => pattern.exec(page)?.[1] ?? "";
    const key = Secret.fromBase32(read(/<pre[^>]*>([^<]+)/).replaceAll(" ", ""));
    const setup = read(/name="setup" value="([^"]+)"/);
    const csrfToken = read(/name="csrfToken" value="([^"]+)"/);
    const code = TOTP.generate({ secret: key });
    await browser.post("/auth/second-factor/setup", { setup, code, csrfToken });
    const refused = await post();
    expect(refused.headers.get("set-auth-token")).toBe(null);
    expect(refused.status).toBe(403);
  } finally {
    await playground.stop();
  }
});

/** Opens a form of the playground, and posts it with further fields, as a user does. */
async function submit(browser: Browser, page: Response, fields: Record<string, string> = {}) {
  const [, action = "", form = ""] =
    /<form [^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(await page.text()) ?? [];
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  const known = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
  const { pathname, search } = new URL(action.replaceAll("&amp;", "&"));
  return browser.post(pathname + search, { ...known, ...fields });
}

it("a program signs in by a code that its user types, calls the API, and is named on the account page", async () => {
  const playground = await startPlayground(0);
  try {
    const { origin } = playground;
    const browser = createBrowser((request) => fetch(request), { origin });
    await browser.signInWith("credentials", { username: "mira", password: PASSWORD });
    const shown: string[] = [];
    const waits: number[] = [];
    const token = await signInByCode(origin, {
      show: (text) => void shown.push(text),
      async wait(seconds) {
        // The first time the program polls, the user has allowed nothing yet.
        if (waits.push(seconds) < 2) return;
        const [, uri = "", code = ""] = /^Open (\S+) and enter (\S+)$/.exec(shown[0] ?? "") ?? [];
        const asked = await browser.get(new URL(uri).pathname);
        const seen = await submit(browser, asked, { user_code: code });
        expect(await seen.clone().text()).toContain("Playground command line wants to sign in");
        expect((await submit(browser, seen)).status).toBe(200);
      },
    });
    expect(waits).toEqual([5, 5]);
    expect(await (await browser.get("/auth/account")).text()).toContain("Playground command line");
    expect(await greet(origin, token)).toBe("Signed in as Mira Solberg, and out again.");
    await expect(greet(origin, token)).rejects.toThrow("status 401");
    expect(await (await browser.get("/auth/account")).text()).not.toContain("command line");
  } finally {
    await playground.stop();
  }
});

it("a program signs in by a browser that redirects to its port, and learns of a user who denies it", async () => {
  const playground = await startPlayground(0);
  try {
    const { origin } = playground;
    const browser = createBrowser((request) => fetch(request), { origin });
    await browser.signInWith("credentials", { username: "mira", password: PASSWORD });
    const visit = (fields: Record<string, string>) => async (url: URL) => {
      const page = await browser.get(url.pathname + url.search);
      const led = await submit(browser, page, fields);
      await fetch(led.headers.get("location") ?? "");
    };
    const token = await signInByBrowser(origin, visit({}));
    expect(await greet(origin, token)).toBe("Signed in as Mira Solberg, and out again.");
    await expect(signInByBrowser(origin, visit({ deny: "1" }))).rejects.toMatchObject({
      error: "access_denied",
    });
  } finally {
    await playground.stop();
  }
});

it("the policy of Playground ID's pages lets the browser load the icon, which Firefox checks", async () => {
  const playground = await startPlayground(0, memoryStore());
  try {
    const page = await fetch(`${playground.issuer}/interaction/none`);
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/img-src 'self'(;|$)/);
    expect((await fetch(`${playground.issuer}/favicon.ico`)).ok).toBe(true);
  } finally {
    await playground.stop();
  }
});
