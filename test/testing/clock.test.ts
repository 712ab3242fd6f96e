import { jwtVerify, SignJWT } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { createAuth } from "../../presets/index.ts";
import { createClock, createTestAuth, type Duration } from "../../src/testing/testing.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const RealDate = Date;

afterEach(() => expect(Date).toBe(RealDate));

describe("createClock()", () => {
  it("createClock() sets Date.now(), new Date() and Date(), and stops the time", async () => {
    using clock = createClock("2026-01-01T00:00:00Z");
    expect(clock.now).toBe(START);
    expect(Date.now()).toBe(START);
    expect(new Date().toISOString()).toBe("2026-01-01T00:00:00.000Z");
    // oxlint-disable-next-line unicorn/new-for-builtins -- the text of the time is meant
    expect(Date()).toBe(new Date(START).toString());
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(Date.now()).toBe(START);
  });

  it("createClock() without a time starts now", () => {
    const before = Date.now();
    using clock = createClock();
    expect(clock.now).toBeGreaterThanOrEqual(before);
    expect(clock.now - before).toBeLessThan(5000);
  });

  it("dates of a given time, parsing and instanceof work as usual", () => {
    const before = new Date(0);
    using _ = createClock(START);
    expect(before).toBeInstanceOf(Date);
    expect(new Date()).toBeInstanceOf(Date);
    expect(new Date()).toBeInstanceOf(RealDate);
    expect(new Date(5).getTime()).toBe(5);
    expect(new Date(2020, 1, 29).getDate()).toBe(29);
    expect(Date.parse("1970-01-01")).toBe(0);
    expect(Date.UTC(1970, 0, 1)).toBe(0);
    class Later extends Date {}
    expect(new Later().getTime()).toBe(START);
    expect(new Later()).toBeInstanceOf(Later);
    expect(structuredClone(new Date())).toEqual(new Date(START));
  });

  it.each<[Duration | number, number]>([
    ["1 second", 1000],
    ["90 seconds", 90_000],
    ["15 minutes", 900_000],
    ["1.5 hours", 5_400_000],
    ["31 days", 2_678_400_000],
    ["2 weeks", 1_209_600_000],
    ["-1 day", -86_400_000],
    [250, 250],
    [-250, -250],
  ])("clock.advance(%j) moves the time by %i milliseconds", (by, expected) => {
    using clock = createClock(START);
    clock.advance(by);
    expect(Date.now()).toBe(START + expected);
    clock.advance(by);
    expect(new Date().getTime()).toBe(START + 2 * expected);
  });

  it("clock.set() accepts milliseconds, a text or a Date", () => {
    using clock = createClock(START);
    clock.set("2030-01-01T00:00:00Z");
    expect(new Date().getUTCFullYear()).toBe(2030);
    clock.set(new Date(7));
    expect(Date.now()).toBe(7);
    clock.set(8);
    expect(clock.now).toBe(8);
  });

  it("an invalid duration or date throws, with its value, and does not change the time", () => {
    using clock = createClock(START);
    for (const by of ["31 dayz", "soon", "", "5", Number.NaN, undefined])
      expect(() => clock.advance(by as Duration)).toThrow(
        `"${by}" is not a duration. Pass milliseconds, or a number and seconds, minutes, hours, days or weeks, such as "31 days".`,
      );
    expect(() => clock.set("someday")).toThrow('"someday" is not a valid date.');
    expect(Date.now()).toBe(START);
    expect(() => createClock("someday")).toThrow('"someday" is not a valid date.');
  });

  it("restore() restores the real time once, and clocks can be nested", () => {
    const outer = createClock(1000);
    const inner = createClock(2000);
    expect(Date.now()).toBe(2000);
    expect(() => outer.restore()).toThrow("Restore the later one first.");
    inner.restore();
    inner.restore();
    expect(Date.now()).toBe(1000);
    outer.restore();
    expect(Date).toBe(RealDate);
    const later = createClock(3000);
    outer.restore();
    expect(Date.now()).toBe(3000);
    later.restore();
  });

  it("jose signs and verifies at the moved time", async () => {
    using clock = createClock(START);
    const secret = new Uint8Array(32);
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: "HS256" })
      .setIssuedAt()
      .setExpirationTime("1 hour")
      .sign(secret);
    expect((await jwtVerify(token, secret)).payload.iat).toBe(START / 1000);
    clock.advance("59 minutes");
    await jwtVerify(token, secret);
    clock.advance("1 minute");
    await expect(jwtVerify(token, secret)).rejects.toThrow("exp");
  });

  it("a session ends when the clock passes its maximum age, and sign-ins work at any time", async () => {
    using clock = createClock("2040-01-01");
    const { browser } = createTestAuth(createAuth);
    await browser.signInAs({ name: "Ada" });
    clock.advance("29 days");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    clock.advance("31 days");
    expect(await browser.session()).toBeNull();
    await browser.signInAs({ name: "Ada" });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("an identity provider's token that arrives too late is refused", async () => {
    using clock = createClock();
    const { browser, idp, log } = createTestAuth(createAuth);
    idp.tamper = { token: () => clock.advance("2 hours") };
    await expect(browser.signInAs({ name: "Ada" })).rejects.toThrow("?error=Configuration");
    expect(log.errors).toHaveLength(1);
  });
});
