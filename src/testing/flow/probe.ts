import type { AuthContext, Flow, Kernel } from "../../types/kernel.ts";
import type { Plugin } from "../../types/plugin.ts";
import type { LinkRule } from "../../types/sign-in.ts";
import { failStorage } from "../fail-storage.ts";

/** An emitted event. Events about a session read are left out. */
export interface EmittedEvent {
  name: string;
  message: Record<string, unknown>;
}

/** What the flow under test declares about itself. */
export interface FlowFacts {
  /** Methods of the callback. */
  methods: readonly string[];
  links: LinkRule;
  /** Whether `POST /signin/:provider` starts a sign-in. */
  hasStart: boolean;
  /** Types of the public errors. */
  errors: readonly string[];
}

/** A plugin that observes a flow, and decides instead of the application. */
export interface FlowProbe {
  readonly plugin: Plugin;
  /** The emitted events, in order. */
  readonly events: EmittedEvent[];
  /** The status, target and text of all responses. */
  readonly responses: { status: number; location: string; text: string }[];
  /** Names of the cookies that browsers send with a POST from another site. */
  readonly crossSite: Set<string>;
  /** The result of the hook `signIn`. An error is thrown. */
  decision: false | string | Error | undefined;
  /** Whether every call of the adapter and of the store fails. */
  isDown: boolean;
  /** Counts down with each call of the adapter or store. The call that makes it 0 fails. */
  callsLeft: number;
  readFacts(): FlowFacts;
}

/** The path of the probe's route below the base path. */
export const PROBE_PATH = "/testing-flow";

/** The id of a second provider, which otherwise equals the one under test. */
export const OTHER_PROVIDER = "testing-other";

async function record(probe: FlowProbe, outcome: unknown): Promise<void> {
  if (!(outcome instanceof Response)) return;
  const { status, headers } = outcome;
  const location = headers.get("location") ?? "";
  const text = outcome.body ? await outcome.clone().text() : "";
  probe.responses.push({ status, location, text });
  for (const cookie of headers.getSetCookie()) {
    if (/;\s*samesite=none/i.test(cookie))
      probe.crossSite.add(cookie.slice(0, cookie.indexOf("=")));
  }
}

function toFacts({ errors }: Kernel, { methods, links, start }: Flow): FlowFacts {
  return {
    methods: methods ?? ["GET", "POST"],
    links: links ?? "account",
    hasStart: start !== undefined,
    errors: [...errors.keys()],
  };
}

/** Creates a probe for the provider with an id, by default the first provider. `isTwice` adds the second provider. */
export function createFlowProbe(provider: string | undefined, isTwice: boolean): FlowProbe {
  let facts: FlowFacts | undefined;
  const setup = (kernel: Kernel): void => {
    const [first] = kernel.providers.keys();
    const found = kernel.providers.get(provider ?? first ?? "");
    if (!found) throw new Error(`testFlow() finds no provider "${provider ?? "at all"}".`);
    if (isTwice) kernel.addProvider({ ...found, id: OTHER_PROVIDER });
    failStorage(kernel, () => {
      probe.callsLeft -= 1;
      return probe.isDown || probe.callsLeft === 0;
    });
    kernel.hooks.ready.tap("testing/flow", () => {
      facts = toFacts(kernel, kernel.flow(found.type));
    });
    kernel.hooks.around.tap("testing/flow", async (_, next) => record(probe, await next()));
    kernel.hooks.signIn.tap({ name: "testing/flow", stage: "first" }, () => {
      const { decision } = probe;
      if (decision instanceof Error) throw decision;
      return decision;
    });
    kernel.events.hook("*", (message, { name }) => {
      if (name !== "session")
        probe.events.push({ name, message: message as EmittedEvent["message"] });
    });
    kernel.addRoute({
      method: "GET",
      path: PROBE_PATH,
      json: true,
      handler: async (ctx: AuthContext) => ctx.json({ id: (await ctx.session())?.id ?? null }),
    });
  };
  const probe: FlowProbe = {
    plugin: { name: "testing/flow", setup },
    events: [],
    responses: [],
    crossSite: new Set(),
    decision: undefined,
    isDown: false,
    callsLeft: -1,
    readFacts: () => facts as FlowFacts,
  };
  return probe;
}
