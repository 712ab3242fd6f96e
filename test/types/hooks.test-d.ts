import { describe, expectTypeOf, it } from "vitest";
import { callHook, definePlugin } from "../../src/kernel.ts";
import type {
  Adapter,
  AuthContext,
  AuthHooks,
  Awaitable,
  EventMessages,
  EventName,
  JWT,
  JWTParams,
  Hook,
  HookRun,
  Identity,
  Kernel,
  Operation,
  Page,
  Session,
  SessionParams,
  SignInParams,
  StoreBackend,
} from "../../src/kernel.ts";

declare module "../../src/types.ts" {
  interface AuthHooks {
    badges: Hook<[names: readonly string[]], readonly string[]>;
  }
}

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
        hooks.request.tap({ name: "placed", before: "a?", after: ["b", "c?"] }, () => {});
        hooks.around.tap("spans", async (ctx, next) => {
          expectTypeOf(ctx.operation).toEqualTypeOf<Operation>();
          expectTypeOf(await next()).toEqualTypeOf<unknown>();
        });
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

describe("interceptors", () => {
  it("an interceptor receives the arguments of its hook and returns callbacks that observe the run", () => {
    definePlugin({
      name: "spans",
      setup(kernel) {
        kernel.hooks.jwt.intercept({
          run(token, params, ctx) {
            expectTypeOf(token).toEqualTypeOf<JWT>();
            expectTypeOf(params).toEqualTypeOf<JWTParams>();
            expectTypeOf(ctx).toEqualTypeOf<AuthContext>();
            return { done: (_, error) => expectTypeOf(error).toEqualTypeOf<Error | undefined>() };
          },
        });
        kernel.interceptHooks((hook) => {
          expectTypeOf(hook).toEqualTypeOf<string>();
          return { run: (): HookRun => ({ tap: () => () => {} }) };
        });
        // @ts-expect-error -- an interceptor has `run`
        kernel.hooks.jwt.intercept({ call() {} });
        // @ts-expect-error -- around has no interceptors
        kernel.hooks.around.intercept({ run() {} });
      },
    });
  });
});

describe("kernel.addHook()", () => {
  it("a plugin adds the hooks that it declares", () => {
    definePlugin({
      name: "badges",
      setup(kernel) {
        kernel.addHook("badges", "waterfall");
        kernel.hooks.badges.tap("gold", (names) => [...names, "gold"]);
        expectTypeOf(callHook(kernel.hooks.badges, [])).toEqualTypeOf<
          Awaitable<readonly string[] | undefined>
        >();
        // @ts-expect-error -- no such hook is declared
        kernel.addHook("badgers", "waterfall");
        // @ts-expect-error -- no such kind
        kernel.addHook("badges", "around");
      },
    });
  });
});

describe("kernel.wrap()", () => {
  it("a wrapper receives and returns the part of that name", () => {
    definePlugin({
      name: "wraps",
      setup(kernel) {
        kernel.wrap("adapter", (adapter) => {
          expectTypeOf(adapter).toEqualTypeOf<Adapter>();
          return adapter;
        });
        kernel.wrap("store", (backend) => {
          expectTypeOf(backend).toEqualTypeOf<StoreBackend>();
          return backend;
        });
        kernel.wrap("fetch", (send) => (input, init) => send(input, init));
        // @ts-expect-error -- a store is no adapter
        kernel.wrap("adapter", (): StoreBackend => undefined as never);
        // @ts-expect-error -- no such part
        kernel.wrap("logger", (logger) => logger);
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
        events.hook("signInFailed", ({ provider, error, identity }, { name, ctx }) => {
          expectTypeOf(provider).toEqualTypeOf<string | undefined>();
          expectTypeOf(error).toEqualTypeOf<Error>();
          expectTypeOf(identity).toEqualTypeOf<Identity | undefined>();
          expectTypeOf(name).toEqualTypeOf<"signInFailed">();
          expectTypeOf(ctx).toEqualTypeOf<AuthContext | undefined>();
        });
        events.hook("*", (message, { name }) => {
          expectTypeOf(message).toEqualTypeOf<EventMessages[EventName]>();
          expectTypeOf(name).toEqualTypeOf<EventName>();
        });
        events.hook("signOut", async () => {}, { background: true });
        // @ts-expect-error -- no such event
        events.hook("signin", () => {});
      },
    });
  });
});
