import { afterEach, describe, expect, it, vi } from "vitest";
import { envBoolean, processEnv, providerEnv } from "../../src/env.ts";

describe("processEnv", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });

  it("is the process's, as it is now", () => {
    vi.stubEnv("KEYHOOK_TEST", "here");
    expect(processEnv().KEYHOOK_TEST).toBe("here");
  });

  it("is empty where there is no process, or one without an environment", () => {
    vi.stubGlobal("process", undefined);
    expect(processEnv()).toEqual({});
    vi.stubGlobal("process", {});
    expect(processEnv()).toEqual({});
  });
});

describe("envBoolean", () => {
  it.each(["true", "TRUE", "1", "yes", "on", " on "])("reads %j as true", (text) => {
    expect(envBoolean({ A: text }, "A")).toBe(true);
  });

  it.each(["false", "False", "0", "no", "off"])("reads %j as false", (text) => {
    expect(envBoolean({ A: text }, "A")).toBe(false);
  });

  it.each([undefined, "", "  "])("knows nothing of %j", (text) => {
    expect(envBoolean({ A: text }, "A")).toBeUndefined();
  });

  it.each(["maybe", "2", "truee", "null"])("refuses %j by the variable's name", (text) => {
    expect(() => envBoolean({ AUTH_TRUST_HOST: text }, "AUTH_TRUST_HOST")).toThrow(
      new TypeError("AUTH_TRUST_HOST must be true or false"),
    );
  });
});

describe("providerEnv", () => {
  it("reads what is set", () => {
    const env = {
      AUTH_ACME_ID: "id",
      AUTH_ACME_SECRET: "secret",
      AUTH_ACME_ISSUER: "https://acme.example",
      AUTH_ACME_KEY: "key",
    };
    expect(providerEnv(env, "acme")).toEqual({
      clientId: "id",
      clientSecret: "secret",
      issuer: "https://acme.example",
      apiKey: "key",
    });
  });

  it("leaves out what is unset or empty", () => {
    const env = { AUTH_ACME_ID: "id", AUTH_ACME_SECRET: "", AUTH_ACME_KEY: undefined };
    expect(providerEnv(env, "acme")).toEqual({ clientId: "id" });
    expect(providerEnv({}, "acme")).toEqual({});
  });

  it("writes the id in capitals, with underscores", () => {
    const env = { AUTH_MICROSOFT_ENTRA_ID_ID: "entra", AUTH_42_SCHOOL_ID: "school" };
    expect(providerEnv(env, "microsoft-entra-id")).toEqual({ clientId: "entra" });
    expect(providerEnv(env, "42-school")).toEqual({ clientId: "school" });
  });

  it("does not read another provider's", () => {
    expect(providerEnv({ AUTH_ACME_ID: "id" }, "acm")).toEqual({});
    expect(providerEnv({ AUTH_ACME_TWO_ID: "id" }, "acme")).toEqual({});
  });
});
