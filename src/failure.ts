import { randomHex } from "./crypto.ts";
import {
  AuthError,
  BadRequest,
  CredentialsSignin,
  MethodNotAllowed,
  MissingCSRF,
  UnknownAction,
  UntrustedHost,
} from "./errors.ts";
import { ask } from "./hooks.ts";
import { pageUrl } from "./redirect.ts";
import { NO_STORE } from "./context.ts";
import type { AuthContext, Route } from "./types/kernel.ts";

/** What clients are told by JSON; pages say it in the visitor's language. */
const TEXTS: Readonly<Record<number, string>> = {
  400: "The request could not be understood.",
  404: "There is nothing here.",
  405: "This cannot be done here that way.",
};
const FALLBACK = "Something went wrong on this server; its log says more.";

/** Whether a browser is asking for a page. */
export function wantsPage(request: Request): boolean {
  return request.headers.get("accept")?.includes("text/html") ?? false;
}

/** A fixed text as JSON, with the id that stands in the log. */
export function plainFailure(status: number, id?: string): Response {
  const body = { message: TEXTS[status] ?? FALLBACK, ...(id && { id }) };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...NO_STORE },
  });
}

// Says on the error which answer it belongs to, for the log.
function mark(error: Error): string {
  const id = randomHex(6);
  if (Object.isExtensible(error)) {
    // An application may throw the same error again.
    Object.defineProperty(error, "id", { value: id, configurable: true });
  }
  return id;
}

function queryOf(error: Error): { error: string; code?: string } {
  if (error instanceof CredentialsSignin) return { error: "CredentialsSignin", code: error.code };
  return { error: error instanceof AuthError && error.public ? error.type : "Configuration" };
}

async function direct(ctx: AuthContext, status: number, id: string): Promise<Response> {
  if (!wantsPage(ctx.request)) return plainFailure(status, id);
  const { say } = await ctx.reading();
  return ctx.page({
    name: "failure",
    status,
    title: say(status === 404 ? "failure.absent" : "failure.title"),
    message: { tone: "error", text: say(`failure.${status in TEXTS ? status : 500}`) },
    blocks: [{ kind: "link", text: say("link.signin"), href: `${ctx.base}/signin` }],
  });
}

/** The one place where a thrown error becomes an answer: logged, asked about, page or redirect or JSON. */
export async function failure(
  ctx: AuthContext,
  thrown: unknown,
  route: Route | undefined,
): Promise<Response> {
  const { kernel } = ctx;
  const error =
    thrown instanceof Error ? thrown : new Error("thrown value is no Error", { cause: thrown });
  const id = mark(error);
  // A scanner's nonsense is no error of ours.
  if (error instanceof UnknownAction) kernel.logger.debug(error.message);
  else kernel.logger.error(error);

  const answer = await ask(kernel.hooks.error, error, ctx);
  if (answer instanceof Response) return answer;

  const status = error instanceof AuthError ? error.status : 500;
  if (route?.json) {
    // What clients of Auth.js expect of a refused update.
    const refused = error instanceof MissingCSRF || error instanceof BadRequest;
    return refused ? ctx.json(null, { status: 400, headers: NO_STORE }) : plainFailure(status, id);
  }
  const isOurs =
    error instanceof UnknownAction || error instanceof BadRequest || error instanceof UntrustedHost;
  if (isOurs) {
    const response = await direct(ctx, status, id);
    if (error instanceof MethodNotAllowed) response.headers.set("allow", error.allow);
    return response;
  }

  // A form that was open for too long is shown anew, where it was: nothing has happened yet.
  const { method, path = "" } = route ?? {};
  const isForm = method === "POST" && !path.includes(":") && kernel.route("GET", path);
  if (error instanceof MissingCSRF && isForm) {
    return ctx.redirect(pageUrl(ctx.base + path, ctx.origin, queryOf(error)));
  }

  const leads = error instanceof AuthError && error.kind === "signIn" ? "signIn" : "error";
  const action = leads.toLowerCase();
  const query = queryOf(error);
  const page = kernel.config.pages[leads];
  if (page !== undefined) return ctx.redirect(pageUrl(page, ctx.origin, query));
  const isLoop = ctx.request.method === "GET" && ctx.action === action;
  if (isLoop) return direct(ctx, status < 400 ? 500 : status, id);
  if (!kernel.route("GET", `/${action}`)) {
    return ctx.json({ ...query, id }, { status, headers: NO_STORE });
  }
  return ctx.redirect(pageUrl(`${ctx.base}/${action}`, ctx.origin, query));
}
