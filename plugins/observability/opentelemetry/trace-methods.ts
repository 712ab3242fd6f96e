import type { Attributes } from "@opentelemetry/api";
import { wrapMethods } from "../../../src/_kit.ts";
import { runInSpan, type Spans } from "./spans.ts";

interface CallSpan {
  name: string;
  attributes?: Attributes;
}

/**
 * Returns a plain object with the members of another object. If the active span is recorded, each method runs in its
 * own span.
 */
export function traceMethods<T extends object>(
  inner: T,
  getSpans: () => Spans | undefined,
  describe: (method: string, args: unknown[]) => CallSpan,
): T {
  return wrapMethods(inner, (method, args, call) => {
    const spans = getSpans();
    if (!spans?.isRecording()) return call();
    const { name, attributes = {} } = describe(method, args);
    return runInSpan(spans, spans.start(name, { attributes }), call);
  });
}
