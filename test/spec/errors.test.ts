import { describe, expect, it } from "vitest";
import { AuthError, CredentialsSignin } from "../../src/errors.ts";
import * as errors from "../../src/errors/errors.ts";
import {
  acme,
  createTestAuth,
  credentials,
  identityFlow,
  LOVELACE,
  ORIGIN,
  plainAdapter,
  queryOf,
  Rows,
} from "../_app.ts";

type ErrorClass = typeof AuthError;

const classes = Object.entries(errors).filter(
  (entry): entry is [string, ErrorClass] =>
    typeof entry[1] === "function" && (entry[1] as unknown) !== errors.BootError,
);

describe("SPEC Errors: AuthError", () => {
  it("AuthError is the base class of all errors", () => {
    for (const [name, ErrorClass] of classes) {
      expect(new ErrorClass("x"), name).toBeInstanceOf(AuthError);
      expect(new ErrorClass("x"), name).toBeInstanceOf(Error);
    }
  });

  it("AuthError fields: type, message, name, stack, cause (record with optional err)", () => {
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

  it("AuthError constructor: optional message (string or options) and options", () => {
    const err = new Error("inner");
    expect(new AuthError()).toMatchObject({ message: "", type: "AuthError" });
    expect(new AuthError().cause).toBeUndefined();
    expect(new AuthError("text").message).toBe("text");
    expect(new AuthError({ cause: { err } })).toMatchObject({ message: "", cause: { err } });
    expect(new AuthError(err).cause).toEqual({ err });
    expect(new AuthError(err, { cause: { provider: "x" } }).cause).toEqual({ err, provider: "x" });
    expect(new AuthError("text", { cause: err }).cause).toEqual({ err });
    expect(new AuthError("text", { cause: { a: 1 } }).cause).toEqual({ a: 1 });
    const wrapped = new Error("it broke", { cause: "a cause of its own" });
    expect(new AuthError("text", wrapped).cause).toEqual({ err: wrapped });
    expect(new AuthError("text", wrapped).cause?.err).toBe(wrapped);
  });

  it("each error class has its own stable type", () => {
    const types = classes
      .filter(([name]) => name !== "MissingSecret")
      .map(([name, ErrorClass]) => [name, new ErrorClass("x").type]);
    for (const [name, type] of types) {
      expect([name, name?.replace(/SecretError$/, "Secret")]).toContain(type);
    }
  });

  it("error types are public only when visitors may see them", () => {
    const shown = classes
      .filter(([, ErrorClass]) => ErrorClass.public)
      .map(([, ErrorClass]) => ErrorClass.type);
    for (const type of ["AccessDenied", "CredentialsSignin", "MissingCSRF", "Verification"]) {
      expect(shown).toContain(type);
    }
    for (const type of ["AdapterError", "MissingSecret", "CallbackRouteError", "JWTSessionError"]) {
      expect(shown).not.toContain(type);
    }
  });
});

describe("SPEC Errors: CredentialsSignin", () => {
  it("CredentialsSignin: `code` is a string, default `credentials`", () => {
    expect(new CredentialsSignin().code).toBe("credentials");
  });

  it("CredentialsSignin redirects to the sign-in page with error=CredentialsSignin&code=<code>", async () => {
    class Locked extends CredentialsSignin {
      override code = "locked";
    }
    const { browser, log } = createTestAuth({
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

  it("CredentialsSignin is thrown to a server-side caller, and the full error is always logged", async () => {
    const { auth, log } = createTestAuth();
    const call = auth.signIn(new Request(ORIGIN), "credentials", { username: "eve" });
    await expect(call).rejects.toThrow(CredentialsSignin);
    log.expectErrors("CredentialsSignin");
  });
});

describe("SPEC Errors: AccessDenied", () => {
  it("AccessDenied is raised when the signIn callback throws, with the original message", async () => {
    const { browser, log } = createTestAuth({
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

  it("AccessDenied: `false` from the signIn callback also leads to the error page", async () => {
    const { browser, log } = createTestAuth({ callbacks: { signIn: () => false } });
    const page = await browser.follow(await browser.signInWith("credentials", LOVELACE));
    expect(page.status).toBe(403);
    expect(await page.text()).toContain(
      "This account isn’t allowed to sign in here. Use a different one, or contact the site owner.",
    );
    log.expectErrors("AccessDenied");
  });
});

describe("SPEC Errors: Adapter failures", () => {
  it("an adapter method that is called and not implemented leads the user to the error page", async () => {
    const { getUserByAccount: _, ...adapter } = plainAdapter(new Rows());
    const { browser, log } = createTestAuth({
      providers: [acme()],
      adapter,
      session: { strategy: "jwt" },
      use: [identityFlow(() => ({}))],
    });
    const response = await browser.get("/auth/callback/acme");
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    expect((await browser.follow(response)).status).toBe(500);
    log.expectErrors("MissingAdapterMethods");
  });
});

describe("SPEC Errors: signIn function", () => {
  it("signIn() throws an AuthError when the sign-in fails", async () => {
    const { auth, log } = createTestAuth({
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

describe("subclasses of the error classes", () => {
  const classes = Object.values(errors).filter((one) => one.prototype instanceof AuthError);

  it("a subclass may set its static fields by assignment, as older compile targets do", () => {
    expect(classes.length).toBeGreaterThan(40);
    for (const base of classes as unknown as (typeof AuthError)[]) {
      const own = class extends base {};
      expect(() => Object.assign(own, { type: "Own", status: 418, public: true })).not.toThrow();
      expect([own.type, own.status, own.public]).toEqual(["Own", 418, true]);
      expect(base.type).not.toBe("Own");
    }
  });
});
