import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PASSWORD } from "../playground/people.ts";
import { startPlayground } from "../playground/start.ts";
import { memoryStore } from "../plugins/stores/memory.ts";
import { createBrowser } from "../src/testing/testing.ts";

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

it("the playground's API signs in no user with a second factor, whose code it cannot ask for", async () => {
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

it("the pages of Playground ID let the browser load its icon, which Firefox asks the policy for", async () => {
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
