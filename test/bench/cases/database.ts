import { storeAdapter } from "keyhook/adapters/store";
import { type Backend, backends } from "../backends.ts";
import type { Fetch } from "../browser.ts";
import {
  type After,
  type Case,
  isOnce,
  Missing,
  type Round,
  type Side,
  timed,
} from "../measure.ts";
import { copy, createSessions } from "../sessions.ts";
import {
  byProvider,
  byProviderBetter,
  toCookies,
  createReading,
  type SignIn,
  createSignIn,
} from "../signin.ts";
import { betterWith, COOKIE, core, keyhook } from "../subjects.ts";

const BETTER = "/auth/get-session";

/** A measured operation of a user who has signed in before. */
type Operation = (fetch: Fetch, signIn: SignIn, path?: string) => Promise<Round>;

const read: Operation = async (fetch, signIn, path) => {
  const cookie = toCookies(await signIn(fetch));
  return timed(createReading(fetch, () => cookie, path));
};

const signInAgain: Operation = (fetch, signIn, path) => timed(createSignIn(fetch, signIn, path));

const ours = ({ store }: Backend) => keyhook(undefined, [store, storeAdapter()]);

type Opening = (typeof backends)[string];

/** @throws Missing without the server. */
async function opened(open: Opening, after: After): Promise<Backend> {
  try {
    const backend = await open();
    after(() => backend.close());
    return backend;
  } catch (error) {
    throw new Missing(`no server (${(error as Error).message})`);
  }
}

function beside(
  name: string,
  open: Opening,
  operation: Operation,
  target: number,
  rivals: string[],
): Case {
  const withCore = (side: string): Side => {
    return async (after) => {
      const { core: adapters } = await opened(open, after);
      return operation(core(undefined, adapters[side]()), byProvider);
    };
  };
  return {
    name,
    unit: "us",
    target,
    sides: {
      ours: async (after) => operation(ours(await opened(open, after)), byProvider),
      ...Object.fromEntries(rivals.map((side) => [side, withCore(side)])),
      "better-auth": async (after) => {
        const { better } = await opened(open, after);
        return operation(await betterWith(better()), byProviderBetter, BETTER);
      },
    },
  };
}

const FEW = 10 ** 3;
/**
 * The cost of a sign-in does not depend on the number of sessions, so fewer sessions are written,
 * in a tenth of the time.
 */
const MANY = { read: 10 ** 6, "sign-in": 10 ** 5 };
/** Number of sessions that are read in turn, from all over the backend. */
const SAMPLE = 10 ** 4;

type Kind = keyof typeof MANY;

/** Fills a backend with Keyhook's sessions: a sample that is read, and copies of it under other keys. */
async function filled(backend: Backend, count: number, kind: Kind): Promise<Round> {
  const size = Math.min(count, SAMPLE);
  const { rows, tokens } = await createSessions(size);
  await backend.fill(rows);
  for (let at = size; at < count; at += size) await backend.fill(copy(rows));
  const fetch = ours(backend);
  if (kind === "sign-in") return timed(createSignIn(fetch, byProvider));
  let next = 0;
  return timed(createReading(fetch, () => `${COOKIE}=${tokens[next++ % tokens.length]}`));
}

function growing(name: string, open: Opening, kind: Kind): Case {
  const verb = kind === "read" ? "session read" : "sign-in";
  const many = isOnce ? FEW : MANY[kind];
  return {
    name: `${verb}, ${name}, 10^${Math.log10(MANY[kind])} sessions over 10^3`,
    unit: "times",
    target: 2,
    absolute: true,
    sides: {
      async ours(after) {
        const small = await filled(await opened(open, after), FEW, kind);
        const large = await filled(await opened(open, after), many, kind);
        return async () => (1 / (await small())) * (await large());
      },
    },
  };
}

const TARGETS: Record<string, [read: number, signIn: number]> = {
  memory: [0.12, 0.25],
  SQLite: [0.3, 0.4],
  Redis: [1, 1],
  PostgreSQL: [1, 1],
};

export const cases: Case[] = Object.entries(backends).flatMap(([name, open]) => {
  const [reads, signsIn] = TARGETS[name] ?? [1, 1];
  const rivals = ["@auth/core", ...(name === "memory" ? ["@auth/core with unstorage"] : [])];
  return [
    beside(`database session read, ${name}`, open, read, reads, rivals),
    beside(`database sign-in, ${name}`, open, signInAgain, signsIn, rivals),
    growing(name, open, "read"),
    growing(name, open, "sign-in"),
  ];
});
