import { describe, expect, it, vi } from "vitest";
import { base64 } from "./_authenticator.ts";
import { ADA, createPasskeyApp, locationOf } from "./_passkey.ts";

describe.each(["database", "jwt"])("under the strategy %s", (strategy) => {
  it("registers somebody new, and lets them in again without a name", async () => {
    const app = createPasskeyApp({ strategy });
    expect(locationOf(await app.register())).toBe("/");
    const id = await app.who();
    expect(id).toBeDefined();
    const other = app.newBrowser();
    expect(locationOf(await app.signIn({}, other))).toBe("/");
    expect(await app.who(other)).toBe(id);
    expect(app.events).toEqual(["createUser", "linkAccount", "signIn", "signIn"]);
    expect(app.errors).toEqual([]);
  });
});
