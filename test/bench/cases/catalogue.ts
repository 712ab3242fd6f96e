import { ok } from "node:assert/strict";
import createAuth from "keyhook";
import { loadCatalogue } from "../catalogue.ts";
import { type Case, type Round, timed } from "../measure.ts";
import { ORIGIN } from "../subjects.ts";

const ONE = ["github"];

const silent = { error() {}, warn() {}, debug() {} };
const settings = {
  secret: "a secret for the benchmark, long enough",
  trustHost: true,
  logger: silent,
  env: {},
};

async function create(names?: readonly string[]) {
  const plugins = await loadCatalogue(names);
  return () => plugins.reduce((auth, plugin) => auth.use(plugin), createAuth({ ...settings }));
}

/** Measures a GET of a new application, which boots, or of an application that has booted. */
async function get(path: string, names: readonly string[] | undefined, isNew: boolean) {
  const make = await create(names);
  const booted = make();
  return timed({
    prepare: () => ({ auth: isNew ? make() : booted, request: new Request(ORIGIN + path) }),
    run: ({ auth, request }) => auth.fetch(request),
    async check(response) {
      ok(response.status === 200);
      ok((await response.text()).length > 0);
    },
  });
}

function growing(name: string, path: string, target: number, isNew = false): Case {
  return {
    name: `${name}, all providers of the catalogue over 1`,
    unit: "times",
    target,
    absolute: true,
    sides: {
      async ours(): Promise<Round> {
        const one = await get(path, ONE, isNew);
        const all = await get(path, undefined, isNew);
        return async () => (1 / (await one())) * (await all());
      },
    },
  };
}

export const cases: Case[] = [
  {
    name: "boot and first answer, one provider",
    unit: "us",
    target: 2000,
    absolute: true,
    sides: { ours: () => get("/auth/session", ONE, true) },
  },
  growing("boot and first answer", "/auth/session", 10, true),
  growing("GET /auth/session", "/auth/session", 1),
  growing("GET /auth/providers", "/auth/providers", 2),
  growing("GET /auth/signin", "/auth/signin", 8),
];
