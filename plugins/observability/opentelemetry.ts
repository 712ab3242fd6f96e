import { findPeerFault } from "../../src/_kit.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";
import { createSpans, type OpenTelemetryOptions, type Spans } from "./opentelemetry/spans.ts";
import { traceFetch } from "./opentelemetry/trace-fetch.ts";
import { traceHook } from "./opentelemetry/trace-hook.ts";
import { traceMethods } from "./opentelemetry/trace-methods.ts";
import { traceOperation } from "./opentelemetry/trace-operation.ts";

export type { OpenTelemetryOptions } from "./opentelemetry/spans.ts";

async function importApi() {
  try {
    return await import("@opentelemetry/api");
  } catch (error) {
    throw new Error(
      'The package "@opentelemetry/api" cannot be imported. Install it beside an OpenTelemetry SDK.',
      { cause: error },
    );
  }
}

/**
 * Records a span for every request and server-side call. Below it are spans for each hook with taps and each tap, each
 * adapter call, each store operation, and each request to an identity provider or mail service. Spans go to the SDK
 * that the application has registered; without one, nothing is recorded. They contain names, routes, statuses and types
 * of errors, but no query, header or cookie, and no address or id of a user.
 *
 * Requires the package `@opentelemetry/api`. Without it, requests fail with `InitError`.
 * @example createAuth().use(openTelemetry())
 */
export const openTelemetry: (options?: OpenTelemetryOptions) => Plugin = definePlugin(
  function openTelemetry(options = {}): Plugin {
    // Empty until `init` has loaded the API. What boots before is not traced.
    let spans: Spans | undefined;
    const getSpans = () => spans;

    return {
      name: "observability/opentelemetry",
      setup(kernel) {
        const fault = findPeerFault("@opentelemetry/api");
        if (fault) throw fault;
        const tap = { name: "observability/opentelemetry", stage: "first" } as const;
        const errors = new WeakMap<object, Error>();
        kernel.hooks.around.tap(tap, (ctx, next) => traceOperation(spans, ctx, next, errors));
        kernel.hooks.error.intercept({ run: (error, ctx) => void errors.set(ctx, error) });
        kernel.interceptHooks((hook) => traceHook(hook, getSpans));
        kernel.wrap("adapter", (adapter) =>
          traceMethods(adapter, getSpans, (method) => ({ name: `keyhook.adapter.${method}` })),
        );
        kernel.wrap("store", (store) =>
          traceMethods(store, getSpans, (method, [key]) => ({
            name: `keyhook.store.${method}`,
            attributes: {
              "keyhook.store.driver": store.name,
              // A key begins with the namespace of a plugin. The rest is hashed.
              ...(typeof key === "string" && { "keyhook.store.namespace": key.split(".", 1)[0] }),
            },
          })),
        );
        kernel.wrap("fetch", (send) => traceFetch(send, getSpans, options));
      },
      async init() {
        spans ??= createSpans(await importApi(), options);
      },
    };
  },
);
