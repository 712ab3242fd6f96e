import type { StoreBackend } from "../../src/kernel.ts";
import { createRandom } from "../stores/_history.ts";
import type { Racer } from "../stores/_racers.ts";
import type { Visit, Visited } from "./_flow-app.ts";

/** One round of a race. */
export interface Round {
  /** Separates the users and addresses of this round from those of others. */
  key: string;
  /** The number of processes. */
  count: number;
  /** Draws a number below `below`. */
  draw(below: number): number;
  /** Draws the milliseconds by which a visit starts after the others. */
  jitter(): number;
  /**
   * Runs visits concurrently, each in the process `at`, or by default in one process after another.
   * No visit starts before all rounds have reached this point.
   */
  meet(visits: readonly (Visit & { at?: number })[]): Promise<Visited[]>;
  /** Counts an observation. */
  saw(what: string): void;
}

/**
 * Maximum milliseconds, drawn per round: almost simultaneous, staggered, or as long as visits take
 * on this machine. The last ensures that each visit is sometimes the first, even on a slow machine.
 */
const JITTERS = [2, 20, "visit"] as const;
const BESIDE = 25;

/** The rounds to run. */
export interface Plan {
  name: string;
  rounds: number;
  seed: number;
  /** Number of concurrent rounds. They have different users, and keep all processes busy. Default 25. */
  beside?: number;
}

/** Processes, or an object that runs visits like one. */
export type Racers = readonly Pick<Racer<Visit, Visited>, "run">[];

// Gathers the visits of all pending rounds, so that each process gets one message.
function createMeetings(racers: Racers, rounds: number) {
  let under = rounds;
  let waiting: {
    visits: readonly (Visit & { at?: number })[];
    resolve: (visited: Visited[]) => void;
    reject: (error: Error) => void;
  }[] = [];

  const send = async (meeting: typeof waiting) => {
    const lists = racers.map((): Visit[] => []);
    const places = meeting.map(({ visits }) =>
      visits.map(({ at, ...visit }, index) => {
        const racer = (at ?? index) % racers.length;
        return [racer, (lists[racer]?.push(visit) ?? 0) - 1] as const;
      }),
    );
    const visited = await Promise.all(racers.map((racer, at) => racer.run(lists[at] ?? [])));
    for (const [at, { resolve }] of meeting.entries()) {
      resolve((places[at] ?? []).map(([racer, index]) => visited[racer]?.[index] as Visited));
    }
  };
  const come = () => {
    if (!waiting.length || waiting.length < under) return;
    const meeting = waiting;
    waiting = [];
    send(meeting).catch((error: Error) => {
      for (const { reject } of meeting) reject(error);
    });
  };
  return {
    meet: (visits: readonly (Visit & { at?: number })[]) =>
      new Promise<Visited[]>((resolve, reject) => {
        waiting.push({ visits, resolve, reject });
        come();
      }),
    leave() {
      under--;
      come();
    },
  };
}

/** Runs the rounds of a race; returns the failures and the number of each observation. */
export async function runRounds(
  racers: Racers,
  { name, rounds, seed, beside = BESIDE }: Plan,
  body: (round: Round) => Promise<void>,
): Promise<{ violations: string[]; seen: Record<string, number> }> {
  const violations: string[] = [];
  const seen: Record<string, number> = {};
  let visit = 0;
  for (let first = 0; first < rounds; first += beside) {
    const numbers = Array.from({ length: Math.min(beside, rounds - first) }, (_, at) => first + at);
    const meetings = createMeetings(racers, numbers.length);
    await Promise.all(
      numbers.map(async (number) => {
        const key = `${name}-${seed}-${number}`;
        const random = createRandom(seed * 1_000_003 + number);
        const jitter = JITTERS[Math.floor(random() * JITTERS.length)] ?? 2;
        const round: Round = {
          key,
          count: racers.length,
          draw: (below) => Math.floor(random() * below),
          jitter: () => random() * (jitter === "visit" ? visit : jitter),
          async meet(visits) {
            const visited = await meetings.meet(visits);
            visit = Math.max(visit, meanDuration(visited));
            return visited;
          },
          saw: (what) => void (seen[what] = (seen[what] ?? 0) + 1),
        };
        try {
          await body(round);
        } catch (error) {
          violations.push(`${key}: ${(error as Error).message}`);
        } finally {
          meetings.leave();
        }
      }),
    );
  }
  return { violations, seen };
}

// Returns the mean duration of visits in milliseconds.
function meanDuration(visited: readonly Visited[]): number {
  const durations = visited.map(({ began, ended }) => Number(BigInt(ended) - BigInt(began)) / 1e6);
  return durations.reduce((sum, duration) => sum + duration, 0) / Math.max(durations.length, 1);
}

/** Returns whether two of the visits overlapped in time. */
export function haveOverlapped(visited: readonly Visited[]): boolean {
  return visited.some((one, at) =>
    visited
      .slice(at + 1)
      .some(
        (other) =>
          BigInt(one.began) < BigInt(other.ended) && BigInt(other.began) < BigInt(one.ended),
      ),
  );
}

/** A user as stored in its record. */
export interface StoredUser {
  id: string;
  email?: string | null;
  emailVerified?: string | null;
}

/** The stored records, read without the adapter. */
export interface Records {
  users: StoredUser[];
  accounts: { userId: string; what: { data: { providerAccountId: string } } }[];
  emails: { userId: string }[];
  sessions: { userId: string }[];
  tokens: unknown[];
}

async function readAll<T>(backend: StoreBackend, namespace: string): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await backend.scan(`${namespace}.`, { limit: 500, ...(cursor && { cursor }) });
    const texts = await Promise.all([...new Set(page.keys)].map((key) => backend.get(key)));
    for (const text of texts) if (text) found.push((JSON.parse(text) as { d: T }).d);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return found;
}

/** Reads all stored records. */
export async function readRecords(backend: StoreBackend): Promise<Records> {
  type Person = { gone?: true; user?: { data: StoredUser } };
  const people = await readAll<Person>(backend, "adapter-user");
  return {
    users: people.flatMap(({ gone, user }) => (user && !gone ? [user.data] : [])),
    accounts: await readAll(backend, "adapter-account"),
    emails: await readAll(backend, "adapter-email"),
    sessions: await readAll(backend, "adapter-session"),
    tokens: await readAll(backend, "adapter-token"),
  };
}
