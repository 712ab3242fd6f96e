import { expect, it, vi } from "vitest";
import { ADA, createPasskeyApp } from "./_passkey.ts";

const loads = vi.hoisted(() => ({ count: 0 }));

vi.mock("@simplewebauthn/server", () => {
  loads.count++;
  throw new Error("Cannot find package");
});

it("@simplewebauthn/server is loaded on first use, and an error names it if it is not installed", async () => {
  const app = createPasskeyApp();
  expect((await app.browser.get("/auth/signin")).status).toBe(200);
  expect((await app.browser.get("/auth/session")).status).toBe(200);
  expect(loads.count).toBe(0);
  const response = await app.browser.get(`/auth/webauthn-options/passkey?email=${ADA}`);
  expect(response.status).toBe(500);
  expect(loads.count).toBe(1);
  expect(app.log.errors[0]?.message).toContain(
    'version 14 of the package "@simplewebauthn/server". Install it.',
  );
});
