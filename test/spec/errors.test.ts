import { describe, expect, it } from "vitest";
import * as errors from "../../src/errors.ts";
import { AuthError, CredentialsSignin } from "../../src/index.ts";
import {
  acme,
  createHouse,
  credentials,
  identityFlow,
  LOVELACE,
  ORIGIN,
  plainAdapter,
  queryOf,
  Rows,
} from "../_setup.ts";

type Made = typeof AuthError;

const classes = Object.entries(errors).filter(
  (entry): entry is [string, Made] =>
    typeof entry[1] === "function" && (entry[1] as unknown) !== errors.BootError,
);

describe("SPEC Errors: AuthError", () => {
  it("base class of all errors", () => {
    for (const [name, Made] of classes) {
      expect(new Made("x"), name).toBeInstanceOf(AuthError);
      expect(new Made("x"), name).toBeInstanceOf(Error);
    }
  });

  it("fields: type, message, name, stack, cause (record with optional err)", () => {
    const err = new Error("inner");
    const error = new errors.CallbackRouteError("it broke", { cause: { err, provider: "acme" } });
    expect(error).toMatchObject({
      type: "CallbackRouteError",
      message: "it broke",
      name: "CallbackRouteError",
      cause: { err, provider: "acme" },
    });
    expect(error.stack).toContain("it broke");
  });

  it("constructor: optional message (string or options) and options", () => {
    const err = new Error("inner");
    expect(new AuthError()).toMatchObject({ message: "", type: "AuthError" });
    expect(new AuthError().cause).toBeUndefined();
    expect(new AuthError("text").message).toBe("text");
    expect(new AuthError({ cause: { err } })).toMatchObject({ message: "", cause: { err } });
    expect(new AuthError(err).cause).toEqual({ err });
    expect(new AuthError(err, { cause: { provider: "x" } }).cause).toEqual({ err, provider: "x" });
    expect(new AuthError("text", { cause: err }).cause).toEqual({ err });
    expect(new AuthError("text", { cause: { a: 1 } }).cause).toEqual({ a: 1 });
  });

  it("type is stable, and each class has one of its own", () => {
    const types = classes
      .filter(([name]) => name !== "MissingSecret")
      .map(([name, Made]) => [name, new Made("x").type]);
    for (const [name, type] of types) {
      expect([name, name?.replace(/SecretError$/, "Secret")]).toContain(type);
    }
  });

  it("a type that visitors may see has a message for them, and no other is shown", () => {
    const shown = classes.filter(([, Made]) => Made.public).map(([, Made]) => Made.type);
    for (const type of ["AccessDenied", "CredentialsSignin", "MissingCSRF", "Verification"]) {
      expect(shown).toContain(type);
    }
    for (const type of ["AdapterError", "MissingSecret", "CallbackRouteError", "JWTSessionError"]) {
      expect(shown).not.toContain(type);
    }
  });
});

describe("SPEC Errors: CredentialsSignin", () => {
  it("field `code` (string, default `credentials`)", () => {
    expect(new CredentialsSignin().code).toBe("credentials");
  });

  it("redirected to the sign-in page with error=CredentialsSignin&code=<code>", async () => {
    class Locked extends CredentialsSignin {
      override code = "locked";
    }
    const { browser, log } = createHouse({
      providers: [
        credentials({
          authorize() {
            throw new Locked();
          },
        }),
      ],
    });
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(response.headers.get("location")).toBe(
      `${ORIGIN}/auth/signin?error=CredentialsSignin&code=locked`,
    );
    log.expectErrors("CredentialsSignin");
  });

  it("handled server-side it is thrown to the caller; the full error is always logged", async () => {
    const { auth, log } = createHouse();
    const call = auth.signIn(new Request(ORIGIN), "credentials", { username: "eve" });
    await expect(call).rejects.toThrow(CredentialsSignin);
    log.expectErrors("CredentialsSignin");
  });
});

describe("SPEC Errors: AccessDenied", () => {
  it("raised when the signIn callback throws; message is the original error's", async () => {
    const { browser, log } = createHouse({
      callbacks: {
        signIn() {
          throw new Error("account suspended");
        },
      },
    });
    await browser.signInWith("credentials", LOVELACE);
    const [error] = log.expectErrors("AccessDenied");
    expect(error?.message).toBe("account suspended");
  });

  it("a `false` return also leads to the error page", async () => {
    const { browser, log } = createHouse({ callbacks: { signIn: () => false } });
    const page = await browser.follow(await browser.signInWith("credentials", LOVELACE));
    expect(page.status).toBe(403);
    expect(await page.text()).toContain("You do not have permission to sign in.");
    log.expectErrors("AccessDenied");
  });
});

describe("SPEC Errors: Adapter failures", () => {
  it("a called but unimplemented method fails the operation with an error shown to the user", async () => {
    const { getUserByAccount: _, ...adapter } = plainAdapter(new Rows());
    const { browser, log } = createHouse(
      { providers: [acme()], adapter, session: { strategy: "jwt" } },
      { use: [identityFlow(() => ({}))] },
    );
    const response = await browser.get("/auth/callback/acme");
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    expect((await browser.follow(response)).status).toBe(500);
    log.expectErrors("MissingAdapterMethods");
  });
});

describe("SPEC Errors: signIn function", () => {
  it("throws an AuthError instance on sign-in failure", async () => {
    const { auth, log } = createHouse({
      providers: [
        credentials({
          authorize() {
            throw new RangeError("not an AuthError");
          },
        }),
      ],
    });
    await expect(auth.signIn(new Request(ORIGIN), "credentials", {})).rejects.toThrow(AuthError);
    log.expectErrors("CallbackRouteError");
  });
});
