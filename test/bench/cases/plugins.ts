import type { Kernel, Plugin } from "keyhook";
import { type Case, type Round, timed } from "../measure.ts";
import { createReading } from "../signin.ts";
import { keyhook, keyhookCookie, keyhookInline } from "../subjects.ts";

const HOOKS = ["request", "response", "jwt", "session", "locale", "redirect"] as const;

/** Creates fifty plugins. */
function fifty(setup: (kernel: Kernel, name: string) => void): Plugin[] {
  return Array.from({ length: 50 }, (_, at) => {
    const name = `plugin-${at}`;
    return { name, setup: (kernel) => setup(kernel, name) };
  });
}

/** Taps six hooks, of which four run when a session is read. */
const tapping = (tap: () => undefined | Promise<undefined>): Plugin[] =>
  fifty(({ hooks }, name) => {
    for (const hook of HOOKS) hooks[hook].tap(name, tap);
  });

const observer: Plugin = {
  name: "observer",
  setup: (kernel) =>
    kernel.interceptHooks(() => ({ run: () => ({ tap: () => () => {}, error() {}, done() {} }) })),
};

/** Measures the ratio of the time of GET /session with plugins to that without. */
async function overhead(plugins: readonly Plugin[]): Promise<Round> {
  const cookie = await keyhookCookie();
  const none = await timed(createReading(keyhook(), () => cookie));
  const some = await timed(createReading(keyhook(undefined, plugins), () => cookie));
  return async () => (1 / (await none())) * (await some());
}

// The number is the ratio to no plugins.
function over(name: string, target: number, make: () => readonly Plugin[]): Case {
  return {
    name: `session read, ${name}`,
    unit: "times",
    target,
    absolute: true,
    rounds: 31,
    sides: { ours: () => overhead(make()) },
  };
}

/** Measures the ratio of the time of GET /session with a configuration for each request to that with one object. */
async function functionOverhead(): Promise<Round> {
  const cookie = await keyhookCookie();
  const object = await timed(createReading(keyhookInline(false), () => cookie));
  const made = await timed(createReading(keyhookInline(true), () => cookie));
  return async () => (1 / (await object())) * (await made());
}

export const cases: Case[] = [
  {
    name: "session read, a configuration for each request",
    unit: "times",
    target: 1.5,
    absolute: true,
    rounds: 31,
    sides: { ours: functionOverhead },
  },
  over("50 plugins", 1.1, () => fifty(() => {})),
  over("50 plugins, synchronous taps", 1.2, () => tapping(() => undefined)),
  over("50 plugins, asynchronous taps", 2.5, () => tapping(async () => undefined)),
  over("50 plugins, listeners", 1.2, () =>
    fifty(({ events }) => void events.hook("session", () => {})),
  ),
  over("one interceptor of all hooks", 1.3, () => [observer]),
];
