import type { Attributes, Span } from "@opentelemetry/api";
import type { AuthContext } from "../../../src/kernel.ts";
import type { Spans } from "./spans.ts";

/** The methods of RFC 9110 and RFC 5789. A client may send any other word. */
const METHODS = /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH)$/;

// The path as the semantic conventions require it, without what a client may have put into it.
function getPath({ kernel, provider }: AuthContext, path: string): string {
  const named = provider ? path.replace(":provider", provider.id) : path;
  return kernel.config.basePath + named;
}

function startRequest({ api, start }: Spans, ctx: AuthContext): Span {
  const { kernel, request, route, provider, url } = ctx;
  const isKnown = METHODS.test(request.method);
  const method = isKnown ? request.method : "HTTP";
  const pattern = route && kernel.config.basePath + route.path;
  const attributes: Attributes = {
    "http.request.method": isKnown ? method : "_OTHER",
    "url.scheme": url.protocol.slice(0, -1),
    ...(route && { "http.route": pattern, "url.path": getPath(ctx, route.path) }),
    ...(provider && { "keyhook.provider": provider.id }),
  };
  const name = pattern === undefined ? method : `${method} ${pattern}`;
  return start(name, { kind: api.SpanKind.SERVER, attributes });
}

function startCall({ api, start }: Spans, { operation, provider }: AuthContext): Span {
  const attributes = {
    "keyhook.operation": operation,
    ...(provider && { "keyhook.provider": provider.id }),
  };
  return start(`keyhook.${operation}`, { kind: api.SpanKind.INTERNAL, attributes });
}

function end({ api, fail }: Spans, span: Span, outcome: unknown, error: Error | undefined): void {
  if (outcome instanceof Response) {
    span.setAttribute("http.response.status_code", outcome.status);
    if (outcome.status >= 500) {
      span.setAttribute("error.type", String(outcome.status));
      span.setStatus({ code: api.SpanStatusCode.ERROR });
    }
  }
  // An error may have become a redirect to the error page.
  if (error) fail(span, error);
  span.end();
}

/** Runs a request or server-side call inside its span. */
export async function traceOperation(
  spans: Spans | undefined,
  ctx: AuthContext,
  next: () => Promise<unknown>,
  errors: WeakMap<object, Error>,
): Promise<void> {
  const span = spans && (ctx.operation === "request" ? startRequest : startCall)(spans, ctx);
  // Without a registered SDK there is no trace. A trace that is not sampled is still passed on.
  if (!spans || !span || !spans.api.isSpanContextValid(span.spanContext())) {
    await next();
    return;
  }
  const { context, trace } = spans.api;
  try {
    const outcome = await context.with(trace.setSpan(context.active(), span), next);
    end(spans, span, outcome, errors.get(ctx));
  } catch (error) {
    end(spans, span, undefined, error as Error);
  }
}
