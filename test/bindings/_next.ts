import { AsyncLocalStorage } from "node:async_hooks";

// Stand-ins for the modules of Next.js, written from its documentation, for `vi.mock`. The walks of `test/frameworks`
// run the binding with the real modules in production builds.

/** A request of the App Router, as Next.js keeps it. */
export interface NextScope {
  readonly headers: Headers;
  readonly jar: Map<string, string>;
  /** The names of the cookies that were set, in their order. */
  readonly set: string[];
  /** The last cookie that was set, by name. */
  readonly last: Map<string, { value: string } & Record<string, unknown>>;
}

const scopes = new AsyncLocalStorage<NextScope>();

function getScope(): NextScope {
  const scope = scopes.getStore();
  if (!scope) throw new Error("outside of a request");
  return scope;
}

/** `NextURL` of `next/server`, whose clone keeps the settings of the application. */
class NextUrl extends URL {
  base = "";
  clone(): NextUrl {
    return Object.assign(new NextUrl(this.href), { base: this.base });
  }
}

/** `NextRequest` of `next/server`. */
export class NextRequest extends Request {
  readonly nextUrl: NextUrl = new NextUrl(this.url);
}

function rewrite(url: string | URL): Response {
  return new Response(null, { headers: { "x-middleware-rewrite": String(url) } });
}

function next({ request }: { request?: { headers?: Headers } } = {}): Response {
  const response = new Response(null, { headers: { "x-middleware-next": "1" } });
  if (!request?.headers) return response;
  const names = [...request.headers.keys()];
  for (const name of names) {
    response.headers.set(`x-middleware-request-${name}`, request.headers.get(name) ?? "");
  }
  response.headers.set("x-middleware-override-headers", names.join(","));
  return response;
}

/** `NextResponse` of `next/server`. */
export const NextResponse: { next: typeof next; rewrite: typeof rewrite } = { next, rewrite };

/** The error by which Next.js redirects. */
export class NextRedirect extends Error {
  readonly digest: string;
  constructor(url: string) {
    super("NEXT_REDIRECT");
    this.digest = url;
  }
}

/** `redirect` of `next/navigation`. */
export function redirect(url: string): never {
  throw new NextRedirect(url);
}

/** `headers` of `next/headers`. */
export async function headers(): Promise<Headers> {
  return getScope().headers;
}

/** `cookies` of `next/headers`. */
export async function cookies(): Promise<object> {
  const { jar, set, last } = getScope();
  return {
    getAll: () => [...jar].map(([name, value]) => ({ name, value })),
    set(name: string, value: string, attributes: { maxAge?: number }) {
      const { maxAge } = attributes;
      set.push(name);
      last.set(name, { value, ...attributes });
      jar.set(name, maxAge === 0 ? "" : value);
    },
  };
}

/** Runs a server component, an action or a route handler in the scope of a request. */
export async function inScope<T>(
  sent: Record<string, string>,
  run: (scope: NextScope) => Promise<T>,
): Promise<T> {
  const headers = new Headers({ host: "localhost:3000", ...sent });
  const pairs = (headers.get("cookie") ?? "").split("; ").filter(Boolean);
  const jar = new Map(
    pairs.map((pair): [string, string] => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))];
    }),
  );
  const scope = { headers, jar, set: [], last: new Map() };
  return scopes.run(scope, () => run(scope));
}
