import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type CeremonyOptions,
  performCeremony,
  supportsPasskeyAutofill,
  supportsPasskeys,
} from "../../src/client/ceremony.ts";
import { runPasskeyCeremony } from "../../src/client/passkey.ts";

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
  it("registers with bytes decoded from base64url, and returns the credential as JSON", async () => {
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

  it("authenticates with the allowed passkeys, and an empty list allows all", async () => {
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

  it("offers every passkey in autofill, if the browser supports that", async () => {
    const asked = open(credential({ clientDataJSON: ODD }), { autofill: true });
    const allowed = { ...OPTIONS, allowCredentials: [{ id: ODD_TEXT }] };
    await performCeremony("authenticate", allowed, true);
    expect(asked[0]).toMatchObject({ mediation: "conditional" });
    expect(asked[0]?.publicKey).not.toHaveProperty("allowCredentials");
    open(null);
    await expect(performCeremony("authenticate", OPTIONS, true)).rejects.toThrow("in autofill");
  });

  it("aborts the pending ceremony", async () => {
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
    "a call aborts the previous one, whose options arrive %s its own",
    async (_, [first, second]) => {
      const asked = open(credential({ clientDataJSON: ODD }), { autofill: true });
      const replies: ((response: Response) => void)[] = [];
      const fetch = () => new Promise<Response>((resolve) => void replies.push(resolve));
      const call = { base: "/auth", provider: "passkey", fetch };
      const offer = runPasskeyCeremony({ ...call, autofill: true });
      const press = runPasskeyCeremony(call);
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

  describe("an autofill offer", () => {
    const MINUTE_MS = 60_000;

    // A user keeps the page open: each ceremony waits until the user selects a passkey.
    function wait() {
      vi.useFakeTimers();
      open(null, { autofill: true });
      const offers: { signal: AbortSignal; select(): void }[] = [];
      const get = ({ signal }: Given) =>
        new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          const select = () => resolve(credential({ clientDataJSON: ODD }));
          offers.push({ signal, select });
        });
      vi.stubGlobal("navigator", { credentials: { get } });
      const state = { isOffline: false, asked: 0 };
      const fetch = async () => {
        state.asked++;
        if (state.isOffline) throw new TypeError("fetch failed");
        return Response.json({ action: "authenticate", options: OPTIONS });
      };
      const call = { base: "/auth", provider: "passkey", fetch };
      return { offers, state, call, offered: runPasskeyCeremony({ ...call, autofill: true }) };
    }

    const pass = (minutes: number) => vi.advanceTimersByTimeAsync(minutes * MINUTE_MS);

    afterEach(() => void vi.useRealTimers());

    it("requests a new challenge before the server's expires, and returns the passkey of the last one", async () => {
      const { offers, offered } = wait();
      await pass(9);
      expect(offers).toHaveLength(1);
      await pass(2);
      expect(offers.map(({ signal }) => signal.aborted)).toEqual([true, false]);
      await pass(11);
      expect(offers.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
      offers[2]?.select();
      expect(await offered).toMatchObject({ action: "authenticate" });
      await pass(60);
      expect(offers).toHaveLength(3);
    });

    it("stays while the server is unreachable, and is renewed when it responds again", async () => {
      const { offers, state, offered } = wait();
      await pass(1);
      state.isOffline = true;
      await pass(20);
      expect(offers.map(({ signal }) => signal.aborted)).toEqual([false]);
      state.isOffline = false;
      await pass(1);
      expect(offers.map(({ signal }) => signal.aborted)).toEqual([true, false]);
      offers[1]?.select();
      expect(await offered).toMatchObject({ action: "authenticate" });
    });

    it.each([0, 11])(
      "ends with a call after %s minutes, and is not renewed again",
      async (minutes) => {
        const { offers, state, call, offered } = wait();
        const failed = expect(offered).rejects.toMatchObject({ name: "AbortError" });
        await pass(minutes);
        const pressed = runPasskeyCeremony(call);
        await failed;
        const { asked } = state;
        await pass(60);
        expect(state.asked).toBe(asked);
        expect(offers.at(-1)?.signal.aborted).toBe(false);
        offers.at(-1)?.select();
        expect(await pressed).toMatchObject({ action: "authenticate" });
      },
    );
  });

  it("rejects without a credential, and in browsers without passkeys", async () => {
    open(null);
    await expect(performCeremony("register", OPTIONS, false)).rejects.toThrow("no credential");
    vi.stubGlobal("PublicKeyCredential", undefined);
    await expect(performCeremony("register", OPTIONS, false)).rejects.toThrow("no passkeys");
    expect([supportsPasskeys(), await supportsPasskeyAutofill()]).toEqual([false, false]);
  });
});
