import { describe, expect, it } from "vitest";
import type { Auth, Kernel, Plugin } from "../../src/kernel.ts";
import { createTestAuth, listBootFaults } from "../_app.ts";

interface Clock {
  now(): number;
}

declare module "../../src/types.ts" {
  interface Services {
    clock: Clock;
    calendar: { today(): string };
  }
}

const clock: Clock = { now: () => 42 };

const plugin = (
  name: string,
  setup: (kernel: Kernel) => void,
  rest: Partial<Plugin> = {},
): Plugin => ({
  name,
  setup,
  ...rest,
});
const provider = (name = "clock/own", rest: Partial<Plugin> = {}) =>
  plugin(name, (kernel) => kernel.provide("clock", clock), {
    provides: ["service:clock"],
    ...rest,
  });

/** Lists the messages of the boot faults. */
function listFaults(...use: Plugin[]): string[] {
  return listBootFaults(createTestAuth({ use }));
}

/** Lists the services, except those of Keyhook's own plugins. */
const listServices = (auth: Auth) =>
  auth.inspect().services.filter(({ name }) => !["pages", "storedUsers"].includes(name));

describe("services of plugins", () => {
  it("a plugin uses the service of a required plugin in `setup`, in any order", () => {
    let found: unknown;
    const { auth } = createTestAuth({
      use: [
        plugin("user", (kernel) => void (found = kernel.use("clock")), {
          requires: ["service:clock"],
        }),
        provider(),
      ],
    });
    auth.inspect();
    expect(found).toBe(clock);
  });

  it("a service can be used at any time after boot", async () => {
    const { browser } = createTestAuth({
      use: [
        plugin("user", (kernel) =>
          kernel.addRoute({
            method: "GET",
            path: "/now",
            handler: (ctx) => ctx.json(ctx.kernel.use("clock").now()),
          }),
        ),
        provider(),
      ],
    });
    expect(await (await browser.get("/auth/now")).json()).toBe(42);
  });

  it("inspect() lists the services with their plugins", () => {
    const { auth } = createTestAuth({ use: [provider()] });
    expect(listServices(auth)).toEqual([{ name: "clock", plugin: "clock/own" }]);
    expect(listServices(createTestAuth().auth)).toEqual([]);
  });

  it("a plugin of the application replaces a brought plugin that provides the same service", () => {
    const other: Clock = { now: () => 1 };
    let found: unknown;
    const { auth } = createTestAuth({
      use: [
        plugin("user", (kernel) => void (found = kernel.use("clock")), {
          requires: ["service:clock"],
          plugins: [provider()],
        }),
        plugin("clock/other", (kernel) => kernel.provide("clock", other), {
          provides: ["service:clock"],
        }),
      ],
    });
    expect(listServices(auth)).toEqual([{ name: "clock", plugin: "clock/other" }]);
    expect(found).toBe(other);
  });
});

describe("wrong use of services", () => {
  it("a service that is used too early is a fault that says what to require", () => {
    const user = plugin("user", (kernel) => void kernel.use("clock"));
    expect(listFaults(user, provider())).toEqual([
      '"user" uses the service "clock", which "clock/own" has not provided yet. Add requires: ' +
        '["service:clock"] to "user".',
    ]);
  });

  it("a service that its plugin failed to provide is one fault, without a fault of the plugin that requires it", () => {
    const broken = provider("clock/own", {
      setup() {
        throw new Error("no battery");
      },
    });
    for (const requires of [["service:clock"], ["clock/own"]]) {
      const user = plugin("user", (kernel) => void kernel.use("clock"), { requires });
      expect(listFaults(user, broken)).toEqual([
        'The plugin "clock/own" could not be set up: no battery',
      ]);
    }
  });

  it("a flow that completes a provider without the service is a fault that does not blame `requires`", () => {
    const broken = provider("clock/own", {
      setup() {
        throw new Error("no battery");
      },
    });
    const user = plugin("user", (kernel) => {
      kernel.addFlow("card", {
        resolve: (card: object) => ({ ...card, name: String(kernel.use("clock").now()) }),
        start: () => undefined as never,
      } as never);
      kernel.addProvider({ id: "card", type: "card", name: "Card" });
    });
    expect(listFaults(user, broken)).toEqual([
      'The plugin "clock/own" could not be set up: no battery',
      '"application" uses the service "clock", which "clock/own" has not provided.',
    ]);
  });

  it("a service that its own plugin uses before it provides it is a fault", () => {
    const hasty = provider("clock/own", { setup: (kernel) => void kernel.use("clock") });
    expect(listFaults(hasty)).toEqual([
      '"clock/own" uses the service "clock", which "clock/own" has not provided.',
    ]);
  });

  it("a service that no plugin provides is a fault that suggests a name", () => {
    const user = plugin("user", (kernel) => void kernel.use("clok" as "clock"), {
      requires: ["clock/own"],
    });
    expect(listFaults(user, provider())).toEqual([
      'No plugin provides the service "clok". Did you mean "clock"?',
    ]);
    expect(listFaults(plugin("user", (kernel) => void kernel.use("clock")))).toEqual([
      'No plugin provides the service "clock". Add a plugin that provides it, or call kernel.find("clock").',
    ]);
  });

  it("a service that no plugin provides throws after boot too", () => {
    const kernel = createTestAuth().kernel();
    expect(() => kernel.use("clock")).toThrow('No plugin provides the service "clock".');
  });

  it("two plugins that declare the same service are a fault that names both", () => {
    expect(listFaults(provider("one"), provider("two"))).toEqual([
      '"one" and "two" both provide "service:clock". Drop one.',
    ]);
  });

  it("providing a service twice is a fault that names both plugins", () => {
    const twice = plugin(
      "twice",
      (kernel) => {
        kernel.provide("clock", clock);
        kernel.provide("clock", clock);
      },
      { provides: ["service:clock"] },
    );
    expect(listFaults(twice)).toEqual([
      '"twice" provides the service "clock" twice. Drop or rename one.',
    ]);
  });

  it("a service that `provides` does not declare is a fault", () => {
    expect(listFaults(provider("own", { provides: [] }))).toEqual([
      '"own" provides the service "clock" without declaring it. Add provides: ["service:clock"] to "own".',
    ]);
  });

  it("a service that is declared but not provided is a fault", () => {
    expect(listFaults(provider("own", { setup() {} }))).toEqual([
      '"own" declares "service:clock" but does not provide it. Call kernel.provide("clock", ...) in its `setup`.',
    ]);
  });

  it("provide() throws after boot", () => {
    const kernel = createTestAuth().kernel();
    expect(() => kernel.provide("clock", clock)).toThrow(
      'It is too late to register the service "clock" after the first request',
    );
  });
});
