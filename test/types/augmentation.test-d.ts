import { describe, expectTypeOf, it } from "vitest";
import type {
  Account,
  AuthConfig,
  AuthEvents,
  JWT,
  Kernel,
  Provider,
  ProviderBase,
  ProviderType,
  ProviderTypes,
  Session,
} from "../../src/index.ts";

interface Pigeon extends ProviderBase {
  type: "pigeon";
  loft: string;
}

// As an application does it by `declare module "keyhook/types"`: through the module that only
// passes the types on. The whole repository sees these, so `User` and `JWT` are left to the
// packed package's own test (test/package/consumer).
declare module "../../src/types.ts" {
  interface Session {
    flock?: string;
  }
  interface ProviderTypes {
    pigeon: Pigeon;
  }
  interface EventMessages {
    landed: { loft: string };
  }
}

describe("what an application adds", () => {
  it("to the session is there, in callbacks too", () => {
    expectTypeOf<Session["flock"]>().toEqualTypeOf<string | undefined>();
    const config = {
      callbacks: { session: ({ session, token }) => ({ ...session, flock: token?.sub ?? "none" }) },
    } satisfies AuthConfig;
    expectTypeOf(config).toExtend<AuthConfig>();
  });

  it("to a token by itself is of no known type", () => {
    expectTypeOf<JWT["anything"]>().toEqualTypeOf<unknown>();
  });
});

describe("what a plugin adds", () => {
  it("as a provider type is a provider like others, with a flow", () => {
    expectTypeOf<ProviderTypes["pigeon"]>().toEqualTypeOf<Pigeon>();
    expectTypeOf<Pigeon>().toExtend<Provider>();
    expectTypeOf<"pigeon">().toExtend<ProviderType>();
    expectTypeOf<"pigeon">().toExtend<Account["type"]>();
    const setup = (kernel: Kernel) =>
      kernel.addFlow("pigeon", {
        finish: ({ provider }) => new Response(provider.loft + provider.callbackUrl),
      });
    expectTypeOf(setup).returns.toBeVoid();
  });

  it("as an event is announced and heard", () => {
    const listen = (events: AuthEvents) =>
      events.hook("landed", ({ loft }) => {
        expectTypeOf(loft).toEqualTypeOf<string>();
      });
    expectTypeOf(listen).returns.toEqualTypeOf<() => void>();
    const announce = (kernel: Kernel) => kernel.emit("landed", { loft: "north" });
    expectTypeOf(announce).toBeFunction();
  });
});
