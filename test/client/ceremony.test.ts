import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type CeremonyOptions,
  performCeremony,
  supportsPasskeyAutofill,
  supportsPasskeys,
} from "../../src/client/ceremony.ts";
import { askPasskey } from "../../src/client/passkey.ts";

// Tests in a browser cover the ceremonies of a real authenticator.
const bytes = (...values: number[]) => new Uint8Array(values).buffer;

/** Bytes whose base64 has both characters that base64url replaces, and padding. */
const ODD = bytes(0xfb, 0xff, 0xfe, 0x01);
const ODD_TEXT = "-__-AQ";

function credential(response: object) {
  return {
    id: ODD_TEXT,
    rawId: ODD,
    type: "public-key",
    authenticatorAttachment: null,
    response,
    getClientExtensionResults: () => ({ credProps: { rk: true } }),
  };
}

interface Given {
  publicKey: Record<string, unknown> & { challenge: Uint8Array };
  signal: AbortSignal;
  mediation?: string;
}

function open(found: object | null, { autofill = false } = {}) {
  const asked: Given[] = [];
  const perform = async (given: Given) => {
    asked.push(given);
    given.signal.throwIfAborted();
    return found;
  };
  vi.stubGlobal("navigator", { credentials: { create: perform, get: perform } });
  vi.stubGlobal(
    "PublicKeyCredential",
    Object.assign(class {}, { isConditionalMediationAvailable: async () => autofill }),
  );
  vi.stubGlobal("document", { querySelector: () => ({}) });
  return asked;
}

const OPTIONS: CeremonyOptions = { challenge: ODD_TEXT, rpId: "app.example" };

afterEach(() => void vi.unstubAllGlobals());

describe("performCeremony()", () => {
  it("registers with bytes in place of base64url, and returns the credential as JSON", async () => {
    const asked = open(
      credential({
        clientDataJSON: ODD,
        attestationObject: bytes(1),
        getTransports: () => ["internal"],
      }),
    );
    const options = {
      ...OPTIONS,
      user: { id: ODD_TEXT, name: "ada" },
      excludeCredentials: [{ id: ODD_TEXT, type: "public-key", transports: ["usb"] }],
    };
    expect(await performCeremony("register", options, false)).toEqual({
      id: ODD_TEXT,
      rawId: ODD_TEXT,
      type: "public-key",
      response: { clientDataJSON: ODD_TEXT, attestationObject: "AQ", transports: ["internal"] },
      clientExtensionResults: { credProps: { rk: true } },
    });
    const id = new Uint8Array(ODD);
    expect(asked[0]?.publicKey).toEqual({
      challenge: id,
      rpId: "app.example",
      user: { id, name: "ada" },
      excludeCredentials: [{ id, type: "public-key", transports: ["usb"] }],
    });
  });

  it("authenticates with the allowed passkeys; an empty list allows all", async () => {
    const response = { clientDataJSON: ODD, authenticatorData: bytes(2), signature: bytes(3) };
    const asked = open(credential({ ...response, userHandle: null }));
    const allowed = { ...OPTIONS, allowCredentials: [{ id: ODD_TEXT, type: "public-key" }] };
    expect(await performCeremony("authenticate", allowed, false)).toMatchObject({
      response: { clientDataJSON: ODD_TEXT, authenticatorData: "Ag", signature: "Aw" },
    });
    await performCeremony("authenticate", { ...OPTIONS, allowCredentials: [] }, false);
    const id = new Uint8Array(ODD);
    expect(asked[0]?.publicKey.allowCredentials).toEqual([{ id, type: "public-key" }]);
    expect(asked[1]?.publicKey).not.toHaveProperty("allowCredentials");
  });

  it("offers every passkey in autofill, where the browser does that", async () => {
    const asked = open(credential({ clientDataJSON: ODD }), { autofill: true });
    const allowed = { ...OPTIONS, allowCredentials: [{ id: ODD_TEXT }] };
    await performCeremony("authenticate", allowed, true);
    expect(asked[0]).toMatchObject({ mediation: "conditional" });
    expect(asked[0]?.publicKey).not.toHaveProperty("allowCredentials");
    open(null);
    await expect(performCeremony("authenticate", OPTIONS, true)).rejects.toThrow("in autofill");
  });

  it("aborts the ceremony that is pending", async () => {
    const asked = open(credential({ clientDataJSON: ODD }));
    await performCeremony("authenticate", OPTIONS, false);
    expect(asked[0]?.signal.aborted).toBe(false);
    await performCeremony("authenticate", OPTIONS, false);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  });

  it.each([
    ["before", [1, 0]],
    ["after", [0, 1]],
  ])(
    "a call aborts the one before it, whose options arrive %s its own",
    async (_, [first, second]) => {
      const asked = open(credential({ clientDataJSON: ODD }), { autofill: true });
      const replies: ((response: Response) => void)[] = [];
      const fetch = () => new Promise<Response>((resolve) => void replies.push(resolve));
      const call = { base: "/auth", provider: "passkey", fetch };
      const offer = askPasskey({ ...call, autofill: true });
      const press = askPasskey(call);
      const reply = (at = 0) => {
        replies[at]?.(Response.json({ action: "authenticate", options: OPTIONS }));
        return new Promise((done) => setTimeout(done));
      };
      const failed = expect(offer).rejects.toMatchObject({ name: "AbortError" });
      await reply(first);
      await reply(second);
      expect(await press).toMatchObject({ action: "authenticate" });
      await failed;
      expect(asked.filter(({ signal }) => !signal.aborted)).toHaveLength(1);
      expect(asked.find(({ signal }) => !signal.aborted)).not.toHaveProperty("mediation");
    },
  );

  it("rejects without a credential, and where there are no passkeys", async () => {
    open(null);
    await expect(performCeremony("register", OPTIONS, false)).rejects.toThrow("no credential");
    vi.stubGlobal("PublicKeyCredential", undefined);
    await expect(performCeremony("register", OPTIONS, false)).rejects.toThrow("no passkeys");
    expect([supportsPasskeys(), await supportsPasskeyAutofill()]).toEqual([false, false]);
  });
});
