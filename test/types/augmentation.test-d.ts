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
} from "../../src/kernel.ts";

interface Pigeon extends ProviderBase {
  type: "pigeon";
  loft: string;
}

// As an application does with `declare module "keyhook/types"`: through the module that only
// re-exports the types. The whole repository sees these, so `User` and `JWT` are left to the packed
// package's own test (test/package/consumer).
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

describe("types that an application adds", () => {
  it("a field added to Session exists, also in callbacks", () => {
    expectTypeOf<Session["flock"]>().toEqualTypeOf<string | undefined>();
    const config = {
      callbacks: { session: ({ session, token }) => ({ ...session, flock: token.sub ?? "none" }) },
    } satisfies AuthConfig;
    expectTypeOf(config).toExtend<AuthConfig>();
  });

  it("an undeclared claim of JWT has the type unknown", () => {
    expectTypeOf<JWT["anything"]>().toEqualTypeOf<unknown>();
  });
});

describe("types that a plugin adds", () => {
  it("an added provider type is a provider like any other, with a flow", () => {
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

  it("an added event can be emitted and listened to", () => {
    const listen = (events: AuthEvents) =>
      events.hook("landed", ({ loft }) => {
        expectTypeOf(loft).toEqualTypeOf<string>();
      });
    expectTypeOf(listen).returns.toEqualTypeOf<() => void>();
    const announce = (kernel: Kernel) => kernel.emit("landed", { loft: "north" });
    expectTypeOf(announce).toBeFunction();
  });
});
