import { listAdapterMethods, parseUrl, wrapMethods } from "../../../src/_kit.ts";
import type { AuthContext, HookInterceptor, Kernel } from "../../../src/kernel.ts";
import { createCurrent, type Current } from "./current.ts";
import { describeErrors } from "./describe-error.ts";
import { addStep, type CallStep, type HookStep, type Log, type LogEntry } from "./log.ts";
import { createMasker, maskPath, maskUrl } from "./mask.ts";
import { NAME } from "./name.ts";
import type { Timings } from "./timings.ts";

/** A request in progress. Its errors are kept unchanged until it ends, because only then is it known what to mask. */
interface Open {
  readonly entry: LogEntry;
  readonly start: number;
  readonly errors: Set<Error>;
}

const since = (start: number): number => performance.now() - start;

// Only the kind of a decision, because its value may be secret.
function describeOutcome(outcome: unknown): string {
  if (outcome instanceof Response) return `a Response (${outcome.status})`;
  if (typeof outcome === "object" && outcome !== null) return "an object";
  if (typeof outcome === "string") return "a string";
  if (typeof outcome === "boolean" || outcome === null) return `${outcome}`;
  return outcome === undefined ? "no value" : `a ${typeof outcome}`;
}

function observeHook(hook: string, current: Current<Open>, timings: Timings): HookInterceptor {
  return {
    run(...args) {
      const open = current.get();
      const [error] = args;
      if (hook === "error" && error instanceof Error) open?.errors.add(error);
      const begin = performance.now();
      let step: HookStep | undefined;
      return {
        tap(info) {
          if (open && !step) {
            step = { kind: "hook", name: hook, at: since(open.start), taps: [] };
            addStep(open.entry, step);
          }
          const start = performance.now();
          return () => {
            const ms = since(start);
            timings.add(hook, info, ms);
            const { name, plugin, stage } = info;
            step?.taps.push({ name, plugin, stage, ms });
          };
        },
        done(outcome, failure) {
          if (!step) return;
          step.ms = since(begin);
          step.outcome = failure ? failure.name : describeOutcome(outcome);
        },
      };
    },
  };
}

// Runs a call and records its time. A call that returns no promise stays synchronous.
function timeCall<T>(
  current: Current<Open>,
  { kind, name }: Pick<CallStep, "kind" | "name">,
  call: () => T,
): T {
  const open = current.get();
  if (!open) return call();
  const step: CallStep = { kind, name, at: since(open.start) };
  addStep(open.entry, step);
  const begin = performance.now();
  const succeed = (value: unknown) => {
    step.ms = since(begin);
    if (value instanceof Response) step.outcome = String(value.status);
  };
  const fail = (error: unknown) => {
    step.ms = since(begin);
    step.outcome = error instanceof Error ? error.name : "an error";
  };
  try {
    const result = call();
    if (result instanceof Promise) result.then(succeed, fail);
    else succeed(result);
    return result;
  } catch (error) {
    fail(error);
    throw error;
  }
}

// Keys of records start with the namespace.
function toStoreCall(method: string, [key]: unknown[]): string {
  const [namespace] = /^[a-z0-9-]{1,24}(?=\.)/.exec(typeof key === "string" ? key : "") ?? [];
  return namespace === undefined ? method : `${method} ${namespace}`;
}

function toFetchCall(input: RequestInfo | URL, init: RequestInit | undefined): string {
  const { method, url } = input instanceof Request ? input : { method: "GET", url: String(input) };
  const target = parseUrl(url);
  return `${init?.method ?? method} ${target ? maskUrl(target) : ""}`;
}

function wrapParts(kernel: Kernel, current: Current<Open>): void {
  kernel.wrap("adapter", (adapter) =>
    wrapMethods(
      adapter,
      (name, _, run) => timeCall(current, { kind: "adapter", name }, run),
      listAdapterMethods(adapter),
    ),
  );
  kernel.wrap("store", (store) =>
    wrapMethods(store, (name, args, run) =>
      timeCall(current, { kind: "store", name: toStoreCall(name, args) }, run),
    ),
  );
  kernel.wrap(
    "fetch",
    (send) => (input, init) =>
      timeCall(current, { kind: "fetch", name: toFetchCall(input, init) }, () => send(input, init)),
  );
}

function getTarget(outcome: unknown, ctx: AuthContext): string | undefined {
  const location =
    outcome instanceof Response
      ? outcome.headers.get("location")
      : typeof outcome === "string"
        ? outcome
        : null;
  const target = location === null ? undefined : parseUrl(location, ctx.origin);
  return target && maskUrl(target);
}

async function close({ entry, start, errors }: Open, ctx: AuthContext, outcome: unknown) {
  entry.ms = since(start);
  if (outcome instanceof Response) entry.status = outcome.status;
  const target = getTarget(outcome, ctx);
  if (target !== undefined) entry.target = target;
  entry.cookies = ctx.cookies.pending.map(({ name, value, attributes }) => ({
    name,
    size: value.length,
    cleared: attributes.maxAge === 0,
  }));
  if (!errors.size) return;
  const mask = await createMasker(ctx);
  entry.errors = describeErrors(errors, mask);
  // A socket that the request opened may keep its context alive for long.
  errors.clear();
}

/** Registers the taps that fill the log and the timings. */
export function record(kernel: Kernel, log: Log, timings: Timings): void {
  const current = createCurrent<Open>();
  kernel.interceptHooks((hook) => observeHook(hook, current, timings));
  wrapParts(kernel, current);
  kernel.events.hook("*", (message, { name }) => {
    const open = current.get();
    if (!open) return;
    addStep(open.entry, { kind: "event", name, at: since(open.start) });
    const error: unknown = Reflect.get(Object(message) as object, "error");
    if (error instanceof Error) open.errors.add(error);
  });
  kernel.hooks.around.tap({ name: NAME, stage: "first" }, async (ctx, next) => {
    // The inspector does not record itself.
    const { operation, request, provider } = ctx;
    const { method } = request;
    const isInspector = ctx.operation === "request" && ctx.action === "inspector";
    if (isInspector && method === "GET") return void (await next());
    const path = maskPath(ctx);
    const entry = log.open({ operation, method, path, ...(provider && { provider: provider.id }) });
    const open: Open = { entry, start: performance.now(), errors: new Set() };
    let outcome: unknown;
    try {
      outcome = await current.run(open, next);
    } catch (error) {
      open.errors.add(
        error instanceof Error ? error : new Error("The thrown value is not an Error."),
      );
    }
    await close(open, ctx, outcome);
  });
}
