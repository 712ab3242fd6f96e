import { describe, expectTypeOf, it } from "vitest";
import { definePlugin } from "../../src/kernel.ts";
import type {
  AuthContext,
  AuthHooks,
  JWT,
  JWTParams,
  Kernel,
  Page,
  Session,
  SessionParams,
  SignInParams,
} from "../../src/kernel.ts";

type Taps = { [Name in Exclude<keyof AuthHooks, "page">]: Parameters<AuthHooks[Name]["tap"]>[1] };

describe("parameters of taps", () => {
  it("a tap receives the parameters of its hook", () => {
    expectTypeOf<Taps["ready"]>().parameters.toEqualTypeOf<[kernel: Kernel]>();
    expectTypeOf<Taps["request"]>().parameters.toEqualTypeOf<[ctx: AuthContext]>();
    expectTypeOf<Taps["signIn"]>().parameters.toEqualTypeOf<
      [params: SignInParams, ctx: AuthContext]
    >();
    expectTypeOf<Taps["redirect"]>().parameters.toEqualTypeOf<
      [params: { url: string; baseUrl: string }, ctx: AuthContext]
    >();
    expectTypeOf<Taps["jwt"]>().parameters.toEqualTypeOf<
      [token: JWT, params: JWTParams, ctx: AuthContext]
    >();
    expectTypeOf<Taps["session"]>().parameters.toEqualTypeOf<
      [session: Session, params: SessionParams, ctx: AuthContext]
    >();
    expectTypeOf<Taps["response"]>().parameters.toEqualTypeOf<
      [response: Response, ctx: AuthContext]
    >();
    expectTypeOf<Taps["error"]>().parameters.toEqualTypeOf<[error: Error, ctx: AuthContext]>();
  });

  it("a page tap receives the page", () => {
    type PageTap = Parameters<ReturnType<AuthHooks["page"]["for"]>["tap"]>[1];
    expectTypeOf<PageTap>().parameters.toEqualTypeOf<[page: Page, ctx: AuthContext]>();
  });
});

describe("return values of taps", () => {
  it("a tap may return nothing, a value or a promise of either", () => {
    definePlugin({
      name: "answers",
      setup({ hooks }) {
        hooks.jwt.tap("silent", () => {});
        hooks.jwt.tap("ends", () => null);
        hooks.jwt.tap({ name: "later", stage: "late", before: ["silent"] }, async (token) => token);
        hooks.signIn.tap("refuses", () => false);
        hooks.signIn.tap("sends away", () => "/terms");
        hooks.authorized.tap("stops", ({ auth }) => (auth ? undefined : false));
        hooks.request.tap({ name: "closed", stage: -5 }, () => new Response());
      },
    });
  });

  it("a tap cannot return a value of another type", () => {
    definePlugin({
      name: "mistakes",
      setup({ hooks }) {
        // @ts-expect-error -- a number is not a verdict
        hooks.signIn.tap("x", () => 1);
        // @ts-expect-error -- the request hook returns a Response
        hooks.request.tap("x", () => "text");
        // @ts-expect-error -- `true` would prevent a later refusal
        hooks.authorized.tap("x", () => true);
        // @ts-expect-error -- no such stage
        hooks.jwt.tap({ name: "x", stage: "soon" }, () => {});
        // @ts-expect-error -- no such hook
        hooks.jwtt.tap("x", () => {});
      },
    });
  });
});

describe("AuthEvents", () => {
  it("a listener receives the message of its event", () => {
    definePlugin({
      name: "listens",
      setup({ events }) {
        const undo = events.hook("signIn", ({ user, isNewUser }) => {
          expectTypeOf(user.email).toEqualTypeOf<string | null | undefined>();
          expectTypeOf(isNewUser).toEqualTypeOf<boolean | undefined>();
        });
        expectTypeOf(undo).toEqualTypeOf<() => void>();
        // @ts-expect-error -- no such event
        events.hook("signin", () => {});
      },
    });
  });
});
