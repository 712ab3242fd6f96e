import { createKitBinding, type KitMembers } from "../../plugins/bindings/sveltekit.ts";
import type { KitRuntime } from "../../plugins/bindings/sveltekit/runtime.ts";
import type { KitEvent } from "../../plugins/bindings/sveltekit/visit.ts";
import { standardPreset } from "../../presets/standard.ts";
import {
  type Auth,
  type AuthConfig,
  createAuthWith,
  definePreset,
  type Session,
} from "../../src/kernel.ts";
import { ORIGIN } from "../_app.ts";
import { buildConfig } from "./_suite.ts";

/** The fields of SvelteKit's own errors. */
class Thrown extends Error {
  readonly status: number;
  readonly target: string;
  constructor(status: number, target: string) {
    super(target);
    this.status = status;
    this.target = target;
  }
}

/** Input that SvelteKit passes to the binding. */
export const runtime: KitRuntime = {
  redirect(status, url) {
    throw new Thrown(status, url);
  },
  refuse(status, _, type) {
    throw new Thrown(status, type);
  },
  fail: (status, data) => ({ status, data }),
  isBuilding: false,
  isDevelopment: false,
  base: "/shop",
  env: {},
};

type Failure = { readonly status: number; readonly data: object };
/** An Auth for SvelteKit with a stand-in for the runtime. */
export type KitSite = Auth & KitMembers<Failure>;

/** Creates the Auth, and counts how often the runtime is loaded. */
export function createKitSite(
  config: AuthConfig = {},
  over: Partial<KitRuntime> = {},
): { auth: KitSite; loads: () => number } {
  let loads = 0;
  const { binding, getPresetParts } = createKitBinding<Failure>(async () => {
    loads++;
    return { ...runtime, ...over };
  });
  const preset = definePreset({
    name: "sveltekit",
    extends: [standardPreset],
    get plugins() {
      return getPresetParts().plugins;
    },
    get defaults() {
      return getPresetParts().defaults;
    },
    binding,
  });
  const { basePath: _, ...given } = buildConfig(config);
  return { auth: createAuthWith(preset, given), loads: () => loads };
}

/** An event with the cookies that were set. */
export interface TestKitEvent extends KitEvent {
  readonly set: Map<string, string>;
  readonly locals: { auth?: () => Promise<Session | null> };
}

/** Creates an event of a request. */
export function createKitEvent(
  path: string,
  init: RequestInit = {},
  over: Partial<KitEvent> = {},
): TestKitEvent {
  const request = new Request(ORIGIN + path, init);
  const set = new Map<string, string>();
  return {
    request,
    url: new URL(request.url),
    locals: {},
    set,
    cookies: { set: (name, value) => void set.set(name, value) },
    getClientAddress: () => "203.0.113.7",
    ...over,
  };
}
