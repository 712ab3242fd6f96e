import { describe, expect, it } from "vitest";
import { createHouse } from "../kernel/_house.ts";
import { describeWith } from "../stores/_servers.ts";
import { testMany } from "./_flow-suite.ts";

for (const backend of ["memory", "sqlite"] as const) {
  describe(backend, () => {
    testMany(backend);
  });
}

await describeWith("mysql", "mysql", () => {
  testMany("mysql");
});

describe("who comes in two tabs", () => {
  const ADA = { sub: "ada", name: "Ada", email: "ada@example.com" };

  it("gets in with both, though one is done between the other's look-ups", async () => {
    const house = createHouse();
    const slow = house.newBrowser();
    await house.start(slow);
    house.gate = async (method) => {
      if (method !== "getUserByEmail") return;
      house.gate = () => {};
      await house.come(ADA);
    };
    await house.finish(ADA, slow);
    expect(house.errors).toEqual([]);
    expect(await house.who(slow)).toBe(await house.who());
  });

  it("gets in with both by password, though one is done between the other's look-ups", async () => {
    const provider = {
      ...{ id: "credentials", name: "Password", type: "credentials" as const, credentials: {} },
      authorize: () => ({ id: "7", email: "ada@example.com" }),
    };
    const house = createHouse({ config: { providers: [provider] } });
    const slow = house.newBrowser();
    house.gate = async (method) => {
      if (method !== "getUserByEmail") return;
      house.gate = () => {};
      await house.browser.signInWith("credentials", {});
    };
    await slow.signInWith("credentials", {});
    expect(house.errors).toEqual([]);
    expect(await house.who(slow)).toBe(await house.who());
  });
});
