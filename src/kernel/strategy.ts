import type { AuthContext, Strategy } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { CurrentSession } from "../types/session.ts";

/** The key under which the context of a request keeps its session. */
export const SESSION: unique symbol = Symbol("session");

/** The part of a context that keeps the session once it was read. */
export interface SessionKeeper {
  [SESSION]?: Awaitable<CurrentSession | null> | undefined;
}

// Also after an error: the change may have taken effect in part.
async function forgetting<T>(ctx: AuthContext & SessionKeeper, change: Awaitable<T>): Promise<T> {
  try {
    return await change;
  } finally {
    ctx[SESSION] = undefined;
  }
}

/**
 * Returns a strategy that reads the session once per request, and again after it was created, updated or
 * destroyed.
 */
export function readOnce(strategy: Strategy): Strategy {
  return {
    ...(strategy.needsStoredUser && { needsStoredUser: true }),
    read(ctx: AuthContext & SessionKeeper) {
      // A rejection is kept too: one failed read is not followed by others.
      if (ctx[SESSION] === undefined) ctx[SESSION] = strategy.read(ctx);
      return ctx[SESSION];
    },
    async create(ctx, login) {
      const setSession = await strategy.create(ctx, login);
      return () => forgetting(ctx, setSession());
    },
    update: (ctx, data) => forgetting(ctx, strategy.update(ctx, data)),
    current: (ctx) => strategy.current(ctx),
    destroy: (ctx) => forgetting(ctx, strategy.destroy(ctx)),
  };
}
