import {
  callHook,
  definePlugin,
  type AuthContext,
  type Plugin,
  type Store,
  type Strategy,
  type User,
} from "../../src/kernel.ts";

interface Kept {
  user: User;
  began: number;
  ends: number;
}

/** The parts of the sessions that a defect can break. */
export interface Parts {
  readonly right: Strategy;
  readonly sessions: Store<Kept>;
  getToken(ctx: AuthContext): string | undefined;
  give(ctx: AuthContext, token: string): void;
}

const HOUR_MS = 3_600_000;

/** Sessions in the store. `change` may break them. */
export function mapSessions(change: (parts: Parts) => Partial<Strategy> = () => ({})): Plugin {
  return definePlugin({
    name: "strategies/map",
    provides: ["strategy:map"],
    setup(kernel) {
      const sessions = kernel.store<Kept>("map-sessions");
      const getToken = ({ cookies }: AuthContext) => cookies.get(cookies.spec("sessionToken").name);
      const give = ({ cookies }: AuthContext, token: string) => {
        const { name, attributes } = cookies.spec("sessionToken");
        cookies.set(name, token, attributes);
      };
      const find = async (ctx: AuthContext) => {
        const token = getToken(ctx);
        return token === undefined ? undefined : sessions.get(token);
      };
      const read = async (ctx: AuthContext, params: object = {}) => {
        const kept = await find(ctx);
        if (!kept) return null;
        const base = { user: kept.user, expires: new Date(kept.ends).toISOString() };
        const session = await callHook(kernel.hooks.session, base, params, ctx);
        if (!session) return null;
        await kernel.emit("session", { session }, ctx);
        return { id: kept.user.id ?? "", session };
      };
      const right: Strategy = {
        endsWithin: () => 0,
        async create(ctx, { user }) {
          const token = crypto.randomUUID();
          const { id, name = null } = user;
          const began = Date.now();
          const kept = { user: { id, name }, began, ends: began + HOUR_MS };
          await sessions.put(token, kept, { ttl: HOUR_MS });
          return async () => {
            const before = getToken(ctx);
            give(ctx, token);
            if (before !== undefined) await sessions.delete(before);
          };
        },
        read,
        update: async (ctx, newSession) =>
          (await read(ctx, { trigger: "update", newSession }))?.session ?? null,
        current: async (ctx) => (await find(ctx))?.user ?? null,
        key: getToken,
        async isAmbiguous(ctx) {
          const tokens = ctx.cookies.getCandidates(ctx.cookies.spec("sessionToken").name);
          // A sign-out must not wait for a failing storage.
          if (tokens.length < 2) return false;
          const kept = await Promise.all(tokens.map((token) => sessions.get(token)));
          return new Set(kept.flatMap((one) => one?.user.id ?? [])).size > 1;
        },
        async authTime(ctx) {
          const kept = await find(ctx);
          return kept && kept.began / 1000;
        },
        async destroy(ctx) {
          const token = getToken(ctx);
          const { name, attributes } = ctx.cookies.spec("sessionToken");
          ctx.cookies.clear(name, attributes);
          if (token === undefined) return undefined;
          await sessions.delete(token);
          return { session: null };
        },
      };
      kernel.addStrategy("map", { ...right, ...change({ right, sessions, getToken, give }) });
    },
  });
}
