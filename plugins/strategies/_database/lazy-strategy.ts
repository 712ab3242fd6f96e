import { andThen, loadOnce } from "../../../src/_kit.ts";
import type { Strategy } from "../../../src/kernel.ts";

/**
 * Returns the methods of a strategy that is loaded on first use. An application with another strategy never loads it.
 */
export function createLazyStrategy(
  load: () => Promise<Strategy>,
): Omit<Strategy, "endsWithin" | "needsStoredUser"> {
  const loaded = loadOnce(load);
  return {
    create: (ctx, login) => andThen(loaded(), (it) => it.create(ctx, login)),
    read: (ctx) => andThen(loaded(), (it) => it.read(ctx)),
    update: (ctx, data) => andThen(loaded(), (it) => it.update(ctx, data)),
    current: (ctx) => andThen(loaded(), (it) => it.current(ctx)),
    authTime: (ctx) => andThen(loaded(), (it) => it.authTime?.(ctx)),
    destroy: (ctx) => andThen(loaded(), (it) => it.destroy(ctx)),
    key: (ctx) => andThen(loaded(), (it) => it.key?.(ctx)),
    isAmbiguous: (ctx) => andThen(loaded(), (it) => it.isAmbiguous?.(ctx) ?? false),
  };
}
