import type { Kernel } from "../types/kernel.ts";

/** Makes every call of the adapter and of the store fail while `isDown` returns `true`. */
export function failStorage(kernel: Kernel, isDown: () => boolean): void {
  const failing = <T extends object>(inner: T): T =>
    new Proxy(inner, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          if (isDown()) throw new Error("The storage is down.");
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  kernel.wrap("adapter", failing);
  kernel.wrap("store", failing);
}
