import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

/** The spans that an SDK has exported. */
export interface Exported {
  all(): ReadableSpan[];
  names(): string[];
  /** Returns the span with that name. Throws unless there is exactly one. */
  one(name: string): ReadableSpan;
  /** Returns the name of the parent span. */
  parentOf(span: ReadableSpan): string | undefined;
  reset(): void;
}

/** Registers an SDK in the process, with an exporter to memory. Call `stop` when the file's tests end. */
export function registerSdk(): Exported & { stop(): void } {
  const exporter = new InMemorySpanExporter();
  const manager = new AsyncLocalStorageContextManager().enable();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  context.setGlobalContextManager(manager);
  const all = () => exporter.getFinishedSpans();
  return {
    all,
    names: () => all().map(({ name }) => name),
    one(name) {
      const found = all().filter((span) => span.name === name);
      if (found.length !== 1) {
        const names = all().map((span) => span.name);
        throw new Error(`${found.length} spans are named "${name}". All: ${names.join(", ")}`);
      }
      return found[0] as ReadableSpan;
    },
    parentOf: ({ parentSpanContext }) =>
      all().find((span) => span.spanContext().spanId === parentSpanContext?.spanId)?.name,
    reset: () => exporter.reset(),
    stop() {
      trace.disable();
      context.disable();
    },
  };
}
