import type { Attributes, Span } from "@opentelemetry/api";
import { type OpenTelemetryOptions, runInSpan, type Spans } from "./spans.ts";

type Fetch = typeof globalThis.fetch;

/** Default port of a URL. */
const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

// Built here and not by the application's propagator, which may add baggage with further data.
function toTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

function withTraceparent(input: Parameters<Fetch>[0], init: RequestInit = {}, span: Span) {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : {}));
  headers.set("traceparent", toTraceparent(span));
  return { ...init, headers };
}

/** Records a span for each request that a `fetch` sends. */
export function traceFetch(
  send: Fetch,
  getSpans: () => Spans | undefined,
  { propagate }: OpenTelemetryOptions,
): Fetch {
  return (input, init) => {
    const spans = getSpans();
    if (!spans?.isRecording()) return send(input, init);
    const { api, start } = spans;
    const request = input instanceof Request ? input : undefined;
    const url = new URL(input instanceof Request ? input.url : input);
    const method = (init?.method ?? request?.method ?? "GET").toUpperCase();
    // Neither path nor query is recorded, because both may contain secrets.
    const attributes: Attributes = {
      "http.request.method": method,
      "server.address": url.hostname,
      "server.port": Number(url.port) || PORTS[url.protocol],
    };
    const span = start(method, { kind: api.SpanKind.CLIENT, attributes });
    return runInSpan(spans, span, async () => {
      const isAsked = propagate?.(url) === true;
      const response = await send(input, isAsked ? withTraceparent(input, init, span) : init);
      span.setAttribute("http.response.status_code", response.status);
      if (response.status >= 400) span.setAttribute("error.type", String(response.status));
      if (response.status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      return response;
    });
  };
}
