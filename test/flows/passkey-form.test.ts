import { afterEach, expect, it, vi } from "vitest";

const OWN = new URL("../../plugins/flows/webauthn/browser/passkey-form.ts", import.meta.url).href;

function createForm(live: string) {
  const status = { textContent: "not run", dataset: { failed: "It failed" } };
  return {
    dataset: { live },
    hidden: true,
    nextElementSibling: status,
    addEventListener: vi.fn<() => void>(),
    querySelector: () => null,
  };
}

afterEach(() => vi.unstubAllGlobals());

it("the passkey script shows its own forms, and does not change those of other scripts", async () => {
  const own = createForm(OWN);
  const captcha = createForm("/auth/captcha.js");
  vi.stubGlobal("document", {
    baseURI: "http://localhost:3000/auth/signin",
    querySelectorAll: () => [captcha, own],
  });
  vi.stubGlobal("PublicKeyCredential", function PublicKeyCredential() {});
  vi.stubGlobal("addEventListener", () => {});
  await import("../../plugins/flows/webauthn/browser/passkey-form.ts");
  expect([own.hidden, own.nextElementSibling.textContent]).toEqual([false, ""]);
  expect(own.addEventListener).toHaveBeenCalledTimes(1);
  // Otherwise a password would start a passkey ceremony, and never be posted.
  expect([captcha.hidden, captcha.nextElementSibling.textContent]).toEqual([true, "not run"]);
  expect(captcha.addEventListener).not.toHaveBeenCalled();
});
