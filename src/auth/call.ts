import { callAround } from "../hooks/around.ts";
import { forbidCaching, keepPrivate } from "../http/caching.ts";
import { findRequestFault } from "../http/request-fault.ts";
import { endContext } from "../request/context.ts";
import type { Handler } from "../request/handler.ts";
import type { AuthContext, Body, Kernel, Operation } from "../types/kernel.ts";
import type { RequestSource, ResponseSink } from "../types/request-source.ts";
import type { Connections } from "./connections.ts";
import type { RequestMemory } from "./request-memory.ts";

/**
 * Returns the request of a call.
 * @throws MissingRequest when a server-side method was called without one.
 */
export function getRequest(call: RequestSource | undefined): Request {
  const request = typeof call === "object" && call && "req" in call ? call.req : call;
  const fault = findRequestFault(request);
  if (fault) throw fault;
  return request as Request;
}

/** Handles the calls of the application's own server code. */
export interface ActionHandler extends Handler {
  readonly kernel: Kernel;
  readonly memory: RequestMemory;
  readonly findConnection: Connections["find"];
}

/** Opens the context of a call that only reads. The connection is looked up by the server's request. */
export function openRead(
  handler: ActionHandler,
  call: RequestSource,
  operation: Operation,
  path: string,
): AuthContext {
  const given = getRequest(call);
  const request = handler.memory.apply(given);
  const connection = handler.findConnection(given);
  return handler.open({ operation, request, path, connection });
}

/** Opens the context of a call that changes something, as the POST that the visitor's browser would send. */
export function openPost(
  handler: ActionHandler,
  call: RequestSource,
  operation: Operation,
  path: string,
  body?: Body,
): AuthContext {
  const given = getRequest(call);
  const request = toPost(handler.memory.apply(given));
  const post = { operation, request, path, connection: handler.findConnection(given) };
  return handler.open({ ...post, ...(body && { body }) });
}

/** Returns the response of a call, if it has one. */
export function getResponse(call: RequestSource): ResponseSink | undefined {
  return "req" in call ? call.res : undefined;
}

/** Sets the cookies of the call's response, if it has one. */
export function deliver({ memory }: ActionHandler, ctx: AuthContext, call: RequestSource): void {
  const response = getResponse(call);
  const cookies = ctx.cookies.pending;
  if (!response || !cookies.length) return;
  memory.deliver(getRequest(call), response, cookies);
  if ("cookies" in response) response.cookies.forbidCaching?.();
  else forbidCaching(response.headers);
}

/** Keeps the call's response, if it has one, out of every cache, since it depends on the session. */
export function keepResponsePrivate(call: RequestSource): void {
  const response = getResponse(call);
  if (!response) return;
  if ("cookies" in response) response.cookies.forbidCaching?.();
  else keepPrivate(response.headers);
}

/** Runs a call inside the taps of `around`, then ends its context. */
export function perform<T>(ctx: AuthContext, run: () => Promise<T>): Promise<T> {
  const { around } = ctx.kernel.hooks;
  const work = around.isUsed()
    ? callAround(around, ctx, { run, recover: (fault) => Promise.reject(fault) })
    : run();
  return work.finally(() => endContext(ctx));
}

/** Runs a call that may change the session. The remembered session is forgotten afterwards, even if the call fails. */
export function change<T>(
  { memory }: ActionHandler,
  call: RequestSource,
  ctx: AuthContext,
  run: () => Promise<T>,
): Promise<T> {
  return perform(ctx, run).finally(() => memory.forgetSession(getRequest(call)));
}

// Returns the POST that the visitor's browser would send, without its body.
function toPost(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const name of ["content-length", "content-type", "x-auth-return-redirect"]) {
    headers.delete(name);
  }
  return new Request(request.url, { method: "POST", headers });
}
