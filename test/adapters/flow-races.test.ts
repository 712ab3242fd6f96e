import { describe, expect, it } from "vitest";
import { createClaimsApp } from "../kernel/_claims-app.ts";
import { describeWith } from "../stores/_servers.ts";
import { testMany } from "./_flow-suite.ts";

for (const backend of ["memory", "sqlite"] as const) {
  describe(`flow races: ${backend}`, () => {
    testMany(backend);
  });
}

await describeWith("mysql", "flow races: mysql", () => {
  testMany("mysql");
});

describe("concurrent first sign-ins in two tabs", () => {
  const ADA = { sub: "ada", name: "Ada", email: "ada@example.com" };

  it("OAuth signs in both tabs when one completes between the look-ups of the other", async () => {
    const testApp = createClaimsApp();
    const slow = testApp.openBrowser();
    await testApp.startSignIn(slow);
    testApp.gate = async (method) => {
      if (method !== "getUserByEmail") return;
      testApp.gate = () => {};
      await testApp.signIn(ADA);
    };
    await testApp.finishSignIn(ADA, slow);
    expect(testApp.log.errors).toEqual([]);
    expect(await testApp.getUserId(slow)).toBe(await testApp.getUserId());
  });

  it("credentials sign in both tabs when one completes between the look-ups of the other", async () => {
    const provider = {
      ...{ id: "credentials", name: "Password", type: "credentials" as const, credentials: {} },
      authorize: () => ({ id: "7", email: "ada@example.com" }),
    };
    const testApp = createClaimsApp({ providers: [provider] });
    const slow = testApp.openBrowser();
    testApp.gate = async (method) => {
      if (method !== "getUserByEmail") return;
      testApp.gate = () => {};
      await testApp.browser.signInWith("credentials", {});
    };
    await slow.signInWith("credentials", {});
    expect(testApp.log.errors).toEqual([]);
    expect(await testApp.getUserId(slow)).toBe(await testApp.getUserId());
  });
});
