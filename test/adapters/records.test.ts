import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { sweepStore } from "../../src/kernel.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";
import { adapterOn } from "./_namespace.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const HOUR = 3_600_000;
const expires = () => new Date(Date.now() + HOUR);

function open() {
  const entries = new Map<string, unknown>();
  const backend = memoryBackend(entries);
  const text = () => JSON.stringify([...entries.values()]);
  return { backend, entries, adapter: adapterOn(backend), text };
}

const ADA = { id: "ada-1", email: "ada@example.com", emailVerified: null };

describe("records of storeAdapter", () => {
  it("storeAdapter stores session tokens as hashes only", async () => {
    const entries = new Map<string, unknown>();
    const testApp = createClaimsApp({ store: memoryBackend(entries) });
    await testApp.signIn({ sub: "ada", email: ADA.email });
    const token = testApp.browser.cookies.get("authjs.session-token") ?? "";
    expect(token).toHaveLength(36);
    expect(entries.size).toBeGreaterThan(3);
    expect(JSON.stringify([...entries.entries()])).not.toContain(token);
  });

  it("storeAdapter puts no value from outside into a key", async () => {
    const { entries, adapter } = open();
    await adapter.createUser(ADA);
    const account = { provider: "github", providerAccountId: "octo", type: "oauth" } as const;
    await adapter.linkAccount({ ...account, userId: ADA.id });
    await adapter.createSession({ sessionToken: "secret", userId: ADA.id, expires: expires() });
    const token = { identifier: ADA.email, token: "hash", expires: expires() };
    await adapter.createVerificationToken(token);
    expect(entries.size).toBeGreaterThanOrEqual(7);
    for (const key of entries.keys()) {
      expect(key).toMatch(/^adapter-[a-z-]+(?:\.[A-Za-z0-9_-]{20,})+$/);
      expect(key).not.toMatch(/octo|github|secret|example/i);
    }
  });

  it("deleteUser leaves no record of the user after a sweep", async () => {
    const { backend, entries, adapter, text } = open();
    await adapter.createUser(ADA);
    for (const providerAccountId of ["1", "2", "__proto__"]) {
      const account = { provider: "github", providerAccountId, type: "oauth" } as const;
      await adapter.linkAccount({ ...account, userId: ADA.id });
      await adapter.createAuthenticator({
        ...{ credentialID: `key-${providerAccountId}`, credentialPublicKey: "a2V5", counter: 0 },
        ...{ credentialDeviceType: "multiDevice", credentialBackedUp: true },
        ...{ providerAccountId, userId: ADA.id },
      });
      const sessionToken = `session-${providerAccountId}`;
      await adapter.createSession({ sessionToken, userId: ADA.id, expires: expires() });
      const token = { identifier: ADA.email, token: providerAccountId, expires: expires() };
      await adapter.createVerificationToken(token);
    }
    // A former address of the user, and a session that was extended.
    await adapter.updateUser({ id: ADA.id, email: "countess@example.com" });
    await adapter.updateUser({ id: ADA.id, email: ADA.email });
    await adapter.updateSession({ sessionToken: "session-1", expires: new Date(Date.now() + 9e9) });
    expect(entries.size).toBeGreaterThan(15);
    expect(await adapter.deleteUser(ADA.id)).toMatchObject({ email: ADA.email });
    expect(text()).not.toMatch(/example|github|key-|session-|ada/);
    expect(await adapter.deleteUser(ADA.id)).toBeNull();
    // Records that other processes may be writing are marked as expired and swept later.
    vi.setSystemTime(Date.now() + HOUR / 2);
    await sweepStore(backend);
    expect([...entries.keys()]).toEqual([]);
  });
});
