import { afterEach, describe, expect, it, vi } from "vitest";
import { readBoolean, hintVariable, processEnv, readProviderEnv } from "../../src/kernel/env.ts";
import { findEnvironment } from "../../src/kernel/environment.ts";

describe("processEnv()", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });

  it("processEnv() returns the current environment of the process", () => {
    vi.stubEnv("KEYHOOK_TEST", "here");
    expect(processEnv().KEYHOOK_TEST).toBe("here");
  });

  it("processEnv() is empty without a process or without its environment", () => {
    vi.stubGlobal("process", undefined);
    expect(processEnv()).toEqual({});
    vi.stubGlobal("process", {});
    expect(processEnv()).toEqual({});
  });

  describe("on Deno, which throws for variables that it does not permit to read", () => {
    const refuse = (name: unknown): never => {
      throw new Error(`Requires env access to "${String(name)}"`);
    };
    const stub = (permitted: Record<string, string>, mayList = false) => {
      const env = new Proxy(permitted, {
        get: (target, name) => (name in target ? Reflect.get(target, name) : refuse(name)),
        ownKeys: (target) => (mayList ? Reflect.ownKeys(target) : refuse("all")),
      });
      vi.stubGlobal("Deno", {});
      vi.stubGlobal("process", { env });
    };

    it("a variable that Deno does not permit to read is absent", () => {
      stub({ AUTH_SECRET: "s" });
      expect(processEnv().AUTH_SECRET).toBe("s");
      expect(processEnv().NODE_ENV).toBeUndefined();
      expect({ ...processEnv() }).toEqual({});
      expect(findEnvironment(processEnv())).toEqual({
        name: "production",
        reason: "there are no environment variables, or Deno denies access to them: --allow-env",
      });
    });

    it("all variables are listed where Deno permits it", () => {
      stub({ AUTH_SECRET: "s", NODE_ENV: "test" }, true);
      expect({ ...processEnv() }).toEqual({ AUTH_SECRET: "s", NODE_ENV: "test" });
    });
  });
});

describe("hintVariable()", () => {
  it("the hint names another library's variable, but not one that is empty or read", () => {
    const hint = (name: string, env: Record<string, string>) => hintVariable(env, name);
    expect(hint("AUTH_SECRET", { NEXT_AUTH_SECRET: "s" })).toBe(
      " (NEXT_AUTH_SECRET is set, but not read)",
    );
    expect(hint("AUTH_OWN_ID", { NUXT_OAUTH_OWN_CLIENT_ID: "a" })).toContain("OWN_CLIENT_ID is");
    expect(hint("AUTH_OWN_ISSUER", { OWN_ISSUER: "https://own.example" })).toContain("OWN_ISSUER");
    expect(hint("AUTH_OWN_ID", { AUTH_OWN_ID: "a", OWN_ID: "", OTHER_ID: "b" })).toBe("");
  });

  it.each([
    ["AUTH_SECRET", ["SECRET", "NEXTAUTH_SECRET", "BETTER_AUTH_SECRET"]],
    ["AUTH_OWN_SECRET", ["OWN_SECRET", "OWN_CLIENT_SECRET", "AUTH_OWN_CLIENT_SECRET"]],
  ])("instead of %s, the hint names each of %j", (name, others) => {
    for (const other of others) {
      expect(hintVariable({ [other]: "s" }, name)).toBe(` (${other} is set, but not read)`);
    }
  });
});

describe("hintVariable() for misspelled variables", () => {
  it.each([
    ["AUTH_KEYCLOAK_SECRET", "AUTH_KEYCLOAK_SECERT"],
    ["AUTH_KEYCLOAK_ISSUER", "AUTH_KEYCLOAK_ISUER"],
    ["AUTH_SECRET", "auth_secret"],
  ])("instead of %s, the hint names %s", (name, misspelled) => {
    expect(hintVariable({ [misspelled]: "s" }, name)).toBe(
      ` (${misspelled} is set: check its spelling)`,
    );
  });

  it("the hint names no unrelated variable, and reads no values", () => {
    const read: string[] = [];
    const env = new Proxy(
      { AUTH_GITLAB_ID: "a", AUTH_GITHUB_SECRET: "b", AUTH_GITHBU_ID: "c" },
      {
        get: (target, name) => (read.push(String(name)), Reflect.get(target, name) as string),
      },
    );
    expect(hintVariable(env, "AUTH_OKTA_ID")).toBe("");
    expect(hintVariable(env, "AUTH_GITHUB_ID")).toContain("AUTH_GITHBU_ID is set");
    expect(read).not.toContain("AUTH_GITHBU_ID");
  });

  it("the variables are not listed in Deno, which may ask for a permission", () => {
    vi.stubGlobal("Deno", {});
    expect(hintVariable({ AUTH_SECERT: "s" }, "AUTH_SECRET")).toBe("");
    vi.unstubAllGlobals();
  });
});

describe("readBoolean()", () => {
  it.each(["true", "TRUE", "1", "yes", "on", " on "])("readBoolean() parses %j as true", (text) => {
    expect(readBoolean({ A: text }, "A")).toBe(true);
  });

  it.each(["false", "False", "0", "no", "off"])("readBoolean() parses %j as false", (text) => {
    expect(readBoolean({ A: text }, "A")).toBe(false);
  });

  it.each([undefined, "", "  "])("readBoolean() returns undefined for %j", (text) => {
    expect(readBoolean({ A: text }, "A")).toBeUndefined();
  });

  it.each(["maybe", "2", "truee", "null"])(
    "readBoolean() throws an error for %j that names the variable",
    (text) => {
      expect(() => readBoolean({ AUTH_TRUST_HOST: text }, "AUTH_TRUST_HOST")).toThrow(
        new TypeError("AUTH_TRUST_HOST must be true or false"),
      );
    },
  );
});

describe("readProviderEnv()", () => {
  it("readProviderEnv() reads id, secret, issuer and key of a provider", () => {
    const env = {
      AUTH_ACME_ID: "id",
      AUTH_ACME_SECRET: "secret",
      AUTH_ACME_ISSUER: "https://acme.example",
      AUTH_ACME_KEY: "key",
    };
    expect(readProviderEnv(env, "acme")).toEqual({
      clientId: "id",
      clientSecret: "secret",
      issuer: "https://acme.example",
      apiKey: "key",
    });
  });

  it("readProviderEnv() leaves out unset and empty variables", () => {
    const env = { AUTH_ACME_ID: "id", AUTH_ACME_SECRET: "", AUTH_ACME_KEY: undefined };
    expect(readProviderEnv(env, "acme")).toEqual({ clientId: "id" });
    expect(readProviderEnv({}, "acme")).toEqual({});
  });

  it("readProviderEnv() converts the id to upper case with underscores", () => {
    const env = { AUTH_MICROSOFT_ENTRA_ID_ID: "entra", AUTH_42_SCHOOL_ID: "school" };
    expect(readProviderEnv(env, "microsoft-entra-id")).toEqual({ clientId: "entra" });
    expect(readProviderEnv(env, "42-school")).toEqual({ clientId: "school" });
  });

  it("readProviderEnv() does not read the variables of a provider whose id has the same beginning", () => {
    expect(readProviderEnv({ AUTH_ACME_ID: "id" }, "acm")).toEqual({});
    expect(readProviderEnv({ AUTH_ACME_TWO_ID: "id" }, "acme")).toEqual({});
  });
});
