import type * as Api from "@opentelemetry/api";
import type { Context, Span, SpanOptions, TracerProvider } from "@opentelemetry/api";
import { AuthError } from "../../../src/errors.ts";

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** Creates the tracer. Default: the provider that the application has registered globally. */
  tracerProvider?: TracerProvider;
  /**
   * Whether a request to this URL of an identity provider or mail service carries the header `traceparent` (W3C Trace
   * Context). Default: no request does, since most of these services belong to others.
   */
  propagate?: (url: URL) => boolean;
}

/** The spans of a plugin, once the API is loaded. */
export interface Spans {
  readonly api: typeof Api;
  start(name: string, options: SpanOptions, parent?: Context): Span;
  /** Returns whether the active span is recorded. Otherwise spans below it are not worth their cost. */
  isRecording(): boolean;
  /** Records an error on a span: its type, never its message. Only the server's own errors set the status. */
  fail(span: Span, error: unknown): void;
}

/** Returns the status of a response to an error, or 500 for errors of other classes. */
function getStatus(error: unknown): number {
  return error instanceof AuthError ? error.status : 500;
}

// The name is the class's own, unless an application has assigned text to it.
function getType(error: unknown): string {
  const type = error instanceof AuthError ? error.type : error instanceof Error ? error.name : "";
  return /^[A-Za-z_$][\w$]{0,63}$/.test(type) ? type : "_OTHER";
}

export function createSpans(api: typeof Api, { tracerProvider }: OpenTelemetryOptions): Spans {
  const { context, trace, SpanStatusCode } = api;
  const tracer = (tracerProvider ?? trace).getTracer("keyhook");
  return {
    api,
    start: (name, options, parent) => tracer.startSpan(name, options, parent ?? context.active()),
    isRecording: () => trace.getActiveSpan()?.isRecording() ?? false,
    fail(span, error) {
      span.setAttribute("error.type", getType(error));
      if (getStatus(error) >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    },
  };
}

/** Runs work inside a span, which ends when the work has settled. */
export async function runInSpan<T>(
  { api: { context, trace }, fail }: Spans,
  span: Span,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await context.with(trace.setSpan(context.active(), span), work);
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}
