import { expect, it, vi } from "vitest";
import { secondFactor } from "../../plugins/security/second-factor.ts";
import { renderQrCode } from "../../plugins/security/second-factor/qr-code.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { defineStore } from "../../src/kernel.ts";
import { createTestAuth, isSignedIn, LOVELACE, queryOf } from "../_app.ts";

const loads = vi.hoisted(() => ({ otpauth: 0, uqr: 0 }));

vi.mock("otpauth", () => {
  loads.otpauth++;
  throw new Error("Cannot find package");
});
vi.mock("uqr", () => {
  loads.uqr++;
  throw new Error("Cannot find package");
});

it("otpauth is loaded on first use, and the error names it when it is not installed", async () => {
  const store = memoryBackend();
  const use = [secondFactor(), defineStore(store)];
  const { browser, log } = createTestAuth({ strategy: "jwt", store, use });
  await browser.signInWith("credentials", LOVELACE);
  expect(await isSignedIn(browser)).toBe(true);
  expect(loads).toEqual({ otpauth: 0, uqr: 0 });
  expect(queryOf(await browser.get("/auth/second-factor/setup"))).toEqual({
    error: "Configuration",
  });
  const [error] = log.expectErrors("AuthError");
  expect(error?.message).toBe(
    'A second factor needs version 9 of the package "otpauth". Install it.',
  );
});

it("uqr is loaded with the first QR code, and the error names it when it is not installed", async () => {
  expect(loads.uqr).toBe(0);
  await expect(renderQrCode("otpauth://totp/")).rejects.toThrow(
    'Setting up a second factor needs the package "uqr". Install it.',
  );
});
