import type { Span } from "@opentelemetry/api";
import type { HookInterceptor } from "../../../src/kernel.ts";
import type { Spans } from "./spans.ts";

/** Records a span for each run of a hook with taps, and below it one for each tap. */
export function traceHook(hook: string, getSpans: () => Spans | undefined): HookInterceptor {
  return {
    run() {
      const spans = getSpans();
      if (!spans?.isRecording()) return undefined;
      const { api, start, fail } = spans;
      const { context, trace } = api;
      const parent = context.active();
      let span: Span | undefined;
      // The taps of a run are called one after another.
      let current: Span | undefined;
      return {
        tap({ name, plugin }) {
          const attributes = { "keyhook.hook": hook, "keyhook.plugin": plugin };
          span ??= start(`keyhook.hook.${hook}`, { attributes: { "keyhook.hook": hook } }, parent);
          const tapped = start(`keyhook.tap.${name}`, { attributes }, trace.setSpan(parent, span));
          current = tapped;
          return () => tapped.end();
        },
        error(error) {
          if (current) fail(current, error);
        },
        done(_outcome, error) {
          if (span && error) fail(span, error);
          span?.end();
        },
      };
    },
  };
}
