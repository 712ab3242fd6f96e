import type { Attributes } from "@opentelemetry/api";
import { runInSpan, type Spans } from "./spans.ts";

/** The span of a call. */
interface CallSpan {
  name: string;
  attributes?: Attributes;
}

// Own and inherited names, for adapters that are instances of a class.
function listNames(value: object): Set<string> {
  const names = new Set<string>();
  let level: object | null = value;
  while (level && level !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(level)) names.add(name);
    level = Object.getPrototypeOf(level) as object | null;
  }
  names.delete("constructor");
  return names;
}

/**
 * Returns a plain object with the members of another one, whose methods run in a span of their own where the
 * active span is recorded. A plain object, and not a Proxy: a wrap outside of it may spread it.
 */
export function traceMethods<T extends object>(
  inner: T,
  getSpans: () => Spans | undefined,
  describe: (method: string, args: unknown[]) => CallSpan,
): T {
  const outer = {};
  for (const name of listNames(inner)) {
    const get = (): unknown => Reflect.get(inner, name);
    if (typeof get() !== "function") {
      Object.defineProperty(outer, name, { get, enumerable: true, configurable: true });
      continue;
    }
    const call = (args: unknown[]): unknown => Reflect.apply(get() as () => unknown, inner, args);
    const value = (...args: unknown[]): unknown => {
      const spans = getSpans();
      if (!spans?.isRecording()) return call(args);
      const { name: spanName, attributes = {} } = describe(name, args);
      return runInSpan(spans, spans.start(spanName, { attributes }), () => call(args));
    };
    Object.defineProperty(outer, name, { value, enumerable: true, configurable: true });
  }
  return outer as T;
}
