import { PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { expectFunction, expectOpen } from "../hooks/expect.ts";
import type { Registrar } from "../hooks/hooks.ts";
import { isPromise } from "../platform/awaitable.ts";
import { quoteNames } from "../platform/quote-names.ts";
import { customFetch } from "../platform/symbols.ts";
import type { Kernel, Wrappable } from "../types/kernel.ts";
import type { ProviderBase } from "../types/provider.ts";
import type { Registry } from "./registry.ts";
import type { ServiceRegistry } from "./service-registry.ts";

interface Wrap<T> {
  readonly plugin: string;
  readonly wrapper: (inner: T) => T;
  /** Whether the wrapper returned every part unchanged. */
  isIdle?: boolean;
}

/** Finds the members that a part lost when it was wrapped. */
type FindLost<T> = (inner: T, outer: object) => string[];

/** The registered wraps, with the operations that only the kernel has. */
export interface WrapTable extends Pick<Kernel, "wrap"> {
  /** Wraps the adapter and the store, and closes the registration. A wrapper that fails is reported. */
  applyToStorage(registry: Pick<Registry, "replaceAdapter" | "stores">, report: Report): void;
  /** Gives every provider a wrapped `fetch`. */
  applyToProviders(providers: Map<string, ProviderBase>, report: Report): void;
  /** Returns the names of the plugins that wrap each part, innermost first. */
  list(): Record<keyof Wrappable, string[]>;
}

function isUsable(what: keyof Wrappable, outer: unknown): outer is object {
  if (what === "fetch") return typeof outer === "function";
  return typeof outer === "object" && outer !== null;
}

const listPlugins = (wraps: readonly Pick<Wrap<unknown>, "plugin" | "isIdle">[]): string[] =>
  wraps.filter(({ isIdle }) => !isIdle).map(({ plugin }) => plugin);

/** Creates the wraps of a kernel. The service that uses a part knows which members it must keep. */
export function createWraps(registrar: Registrar, services: ServiceRegistry): WrapTable {
  const wraps: { readonly [K in keyof Wrappable]: Wrap<Wrappable[K]>[] } = {
    adapter: [],
    store: [],
    fetch: [],
  };
  const findLost: { readonly [K in keyof Wrappable]: FindLost<Wrappable[K]> } = {
    adapter: (inner, outer) => services.find("storedUsers")?.findLost(inner, outer) ?? [],
    store: (inner, outer) => services.find("records")?.findLost(inner, outer) ?? [],
    fetch: () => [],
  };
  let closed = false;

  const wrapOnce = <K extends keyof Wrappable>(
    what: K,
    inner: Wrappable[K],
    wrapper: (inner: Wrappable[K]) => Wrappable[K],
  ): Wrappable[K] => {
    const outer = wrapper(inner);
    if (isPromise<unknown>(outer)) {
      outer.then(undefined, () => {});
      throw new Error("it returned a promise. A wrapper must be synchronous.");
    }
    if (!isUsable(what, outer)) throw new Error(`it returned no ${what}. Return the wrapped one.`);
    const lost = findLost[what](inner, outer);
    if (!lost.length) return outer;
    throw new Error(
      `it lost ${quoteNames(lost)} of the original. Pass on what it does not change.`,
    );
  };

  const apply = <K extends keyof Wrappable>(
    what: K,
    inner: Wrappable[K],
    report: Report,
  ): Wrappable[K] => {
    let part = inner;
    for (const wrap of wraps[what]) {
      const { plugin, wrapper } = wrap;
      try {
        const outer = wrapOnce(what, part, wrapper);
        // A fetch is wrapped for each provider.
        wrap.isIdle = (wrap.isIdle ?? true) && outer === part;
        part = outer;
      } catch (error) {
        const { message } = error as Error;
        const text = `The plugin "${plugin}" cannot wrap the ${what}: ${message}`;
        report(new PluginError(text, { cause: { err: error as Error } }));
      }
    }
    return part;
  };

  return {
    wrap(what, wrapper) {
      const { plugin } = registrar;
      expectOpen(closed, `The ${what} was wrapped after setup`);
      if (!Object.hasOwn(wraps, what)) {
        throw new PluginError(
          `The plugin "${plugin}" wraps "${what}", which does not exist. Use one of ${Object.keys(wraps).join(", ")}.`,
        );
      }
      expectFunction(wrapper, `The wrapper of the ${what} (plugin "${plugin}")`);
      wraps[what].push({ plugin, wrapper });
    },
    applyToStorage(registry, report) {
      closed = true;
      registry.replaceAdapter((adapter) => {
        const wrapped = apply("adapter", adapter, report);
        return services.find("storedUsers")?.limitCalls(wrapped) ?? wrapped;
      });
      registry.stores.replace((backend) => apply("store", backend, report));
    },
    applyToProviders(providers, report) {
      if (!wraps.fetch.length) return;
      // Looked up for each request, because an application may replace it later.
      const send: typeof fetch = (input, init) => globalThis.fetch(input, init);
      const wrapped = new Map<typeof fetch, typeof fetch>();
      for (const [id, provider] of providers) {
        const { [customFetch]: inner = send }: ProviderBase & { [customFetch]?: typeof fetch } =
          provider;
        const outer = wrapped.get(inner) ?? apply("fetch", inner, report);
        wrapped.set(inner, outer);
        providers.set(id, Object.assign({ ...provider }, { [customFetch]: outer }));
      }
    },
    list: () => ({
      adapter: listPlugins(wraps.adapter),
      store: listPlugins(wraps.store),
      fetch: listPlugins(wraps.fetch),
    }),
  };
}
