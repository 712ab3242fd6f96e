import { memoizeAsync } from "../../src/_kit.ts";
import { type StoreBackend } from "../../src/kernel.ts";

/** Wraps a backend so that all its keys start with `base`. */
export function withBase(backend: StoreBackend, base: string): StoreBackend {
  const { take, sweep, close } = backend;
  return {
    name: backend.name,
    guarantees: backend.guarantees,
    atomic: backend.atomic,
    get: (key) => backend.get(base + key),
    put: (key, value, expires) => backend.put(base + key, value, expires),
    putIfAbsent: (key, value, expires) => backend.putIfAbsent(base + key, value, expires),
    ...(take && { take: (key: string) => take.call(backend, base + key) }),
    compareAndSet: (key, expected, value, expires) =>
      backend.compareAndSet(base + key, expected, value, expires),
    increment: (key, by, expires) => backend.increment(base + key, by, expires),
    delete: (key) => backend.delete(base + key),
    async scan(prefix, options) {
      const page = await backend.scan(base + prefix, options);
      return { ...page, keys: page.keys.map((key) => key.slice(base.length)) };
    },
    ...(sweep && { sweep: (limit: number) => sweep.call(backend, limit) }),
    ...(close && { close: () => close.call(backend) }),
  };
}

/** The properties of a backend that are known before it is created. */
export type BackendFacts = Pick<StoreBackend, "name" | "guarantees" | "atomic">;

/** Wraps a backend with a native `take` so that it is created on first use. */
export function createLazyBackend(
  facts: BackendFacts,
  create: () => Promise<StoreBackend>,
): StoreBackend {
  const getBackend = memoizeAsync(create);
  return {
    ...facts,
    get: async (key) => (await getBackend()).get(key),
    put: async (key, value, expires) => (await getBackend()).put(key, value, expires),
    putIfAbsent: async (key, value, expires) =>
      (await getBackend()).putIfAbsent(key, value, expires),
    take: async (key) => (await (await getBackend()).take?.(key)) ?? null,
    compareAndSet: async (key, expected, value, expires) =>
      (await getBackend()).compareAndSet(key, expected, value, expires),
    increment: async (key, by, expires) => (await getBackend()).increment(key, by, expires),
    delete: async (key) => (await getBackend()).delete(key),
    scan: async (prefix, options) => (await getBackend()).scan(prefix, options),
    ...(facts.guarantees.ttl === "sweep" && {
      sweep: async (limit: number) => (await (await getBackend()).sweep?.(limit)) ?? 0,
    }),
  };
}
