import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  onRequestAsyncHookHandler,
} from "fastify";
import { dropCaching, isObject } from "../../src/_kit.ts";
import { InvalidConfig, MissingRequest } from "../../src/errors.ts";
import type {
  Auth,
  Binding,
  Connection,
  RequestEvent,
  RequestSource,
  Session,
} from "../../src/kernel.ts";
import { ResponseHeaders } from "./_response-headers.ts";
import { createUrlActions, type SourceFunctions, type UrlActions } from "./_server-functions.ts";
import { createSignal, getConnection, toRequest } from "./node.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Resolves to the session of this request, or to `null`. The reply carries renewed cookies. */
    getSession(): Promise<Session | null>;
    /**
     * Resolves to the session of this request.
     * @throws SessionRequired without a session. Fastify responds with 401.
     */
    requireSession(): Promise<Session>;
    /**
     * Resolves to the session of this request, whose user has signed in within `session.freshAge`.
     * @throws FreshSessionRequired for an older session, SessionRequired without one. Fastify responds with 401.
     */
    requireFreshSession(): Promise<Session>;
  }
}

/** Options of `app.register(auth.plugin, options)`. */
export interface FastifyAuthOptions {
  /** Prefix of the routes, as for every plugin: `/api` mounts them at `/api/auth`. */
  readonly prefix?: string;
}

interface OwnMembers extends UrlActions<FastifyRequest> {
  /**
   * Mounts the routes, and adds `request.getSession()` to the requests of the instance in which it is registered. If
   * the configuration has a fault, it rejects and the application does not start.
   */
  readonly plugin: FastifyPluginAsync<FastifyAuthOptions>;
  /**
   * A hook that passes on requests with a session, and those for the sign-in page and the routes. Without a session, a
   * browser that navigates to a page is redirected to the sign-in page and back. Other requests get 401.
   * @example app.get("/admin", { onRequest: auth.guard }, handler);
   */
  readonly guard: onRequestAsyncHookHandler;
  /**
   * Converts a request into the argument that the server functions of an Auth accept. A `RequestSource` is returned
   * unchanged.
   * @throws InvalidConfig if `auth.plugin` is not registered.
   */
  toRequestSource(given: FastifyRequest | RequestSource): RequestSource;
}

/**
 * The members that `createAuth` of `keyhook/fastify` adds to an Auth. Its server functions also accept Fastify
 * requests.
 */
export interface FastifyMembers extends SourceFunctions<FastifyRequest>, OwnMembers {}

const METHODS: HTTPMethods[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
];

/** The default base path, below the prefix of the instance. */
const DEFAULT_PATH = "/auth";

// A reply keeps its own headers until it is sent.
function toHeaders(reply: FastifyReply): ResponseHeaders {
  return new ResponseHeaders({
    get headersSent() {
      return reply.raw.headersSent;
    },
    getHeader: (name) => reply.getHeader(name),
    removeHeader: (name) => void reply.removeHeader(name),
    // Fastify appends values of Set-Cookie, which is the only header that Keyhook appends.
    setHeader: (name, value) => void reply.header(name, value),
    appendHeader: (name, value) => void reply.header(name, value),
    // Hooks may set headers until they are sent.
    watch(listener) {
      const set = reply.header;
      reply.header = function header(this: FastifyReply, name, value) {
        const result = set.call(this, name, value);
        listener(name);
        return result;
      };
    },
  });
}

async function send(response: Response, reply: FastifyReply): Promise<FastifyReply> {
  // Read first: if it fails, no header of this response is sent with the error.
  const content = response.body ? Buffer.from(await response.arrayBuffer()) : undefined;
  const own = toHeaders(reply);
  dropCaching(own, response.headers.get("cache-control"));
  for (const [name, value] of response.headers) own.set(name, value);
  reply.code(response.status);
  return reply.send(content);
}

// A configuration that is a function is unknown before the first request.
function findBasePath(auth: Pick<Auth, "inspect">, fallback: string): string {
  try {
    return auth.inspect().basePath;
  } catch (error) {
    if (error instanceof MissingRequest) return fallback;
    throw error;
  }
}

/** The binding for Fastify 5. */
export const fastifyBinding: Binding<FastifyMembers> = {
  name: "bindings/fastify",
  extend(auth: Auth) {
    const { handle, protect } = auth;
    const events = new WeakMap<FastifyRequest, () => RequestEvent>();
    let prefixed: string | undefined;

    const createEvent = (request: FastifyRequest, reply: FastifyReply) => {
      let event: RequestEvent | undefined;
      return () => {
        const { raw, protocol } = request;
        const req = () => Object.assign(toRequest(raw, { protocol }), getConnection(raw));
        event ??= { req: req(), res: { headers: toHeaders(reply) } };
        return event;
      };
    };
    const toEvent = (request: FastifyRequest): RequestEvent => {
      const event = events.get(request);
      if (event) return event();
      throw new InvalidConfig(
        "The session of this request cannot be read: register `auth.plugin` in its Fastify instance, or in a parent.",
      );
    };
    const isRequest = (given: unknown): given is FastifyRequest =>
      isObject(given) && "raw" in given && "routeOptions" in given;
    const respond = async (request: FastifyRequest, reply: FastifyReply) => {
      const { raw, protocol } = request;
      // With `rewriteUrl`, this is the path by which Fastify found the route.
      const { url } = raw;
      const connection: Connection = { ...getConnection(raw), target: url, runtime: undefined };
      // Fastify's own signal is aborted once the body was read.
      const given = toRequest(raw, { protocol, url, signal: createSignal(reply.raw) });
      const response = await handle(given, connection);
      return response ? send(response, reply) : reply.callNotFound();
    };

    const mount = async (scope: FastifyInstance, url: string) => {
      // Keyhook reads bodies itself, with its own limits, whatever the application parses.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
      scope.route({ method: METHODS, url, schema: { hide: true }, handler: respond } as never);
    };

    const plugin: FastifyPluginAsync<FastifyAuthOptions> = async (app, { prefix = "" }) => {
      const start = `${app.prefix}${prefix}`;
      const fallback = start + DEFAULT_PATH;
      // Only once: nothing can be added after the boot, and tests build an application again.
      if (start && fallback !== prefixed) {
        auth.use({ name: "fastify", plugins: [], defaults: { basePath: fallback } });
        prefixed = fallback;
      }
      const basePath = findBasePath(auth, fallback);
      if (!basePath.startsWith(`${start}/`)) {
        throw new InvalidConfig(
          `The base path ${basePath} is not below the prefix ${start} that \`auth.plugin\` is registered with: drop one of ` +
            "`basePath`, the path of AUTH_URL, and `prefix`.",
        );
      }
      for (const name of ["getSession", "requireSession", "requireFreshSession"] as const) {
        app.decorateRequest(name, function (this: FastifyRequest) {
          return auth[name](toEvent(this)) as Promise<Session>;
        });
      }
      app.addHook("onRequest", (request, reply, done) => {
        events.set(request, createEvent(request, reply));
        done();
      });
      const path = basePath.slice(app.prefix.length);
      await app.register(async (scope) => mount(scope, `${path}/*`));
    };
    const members: OwnMembers = {
      ...createUrlActions(auth, isRequest, toEvent),
      toRequestSource: (given) => (isRequest(given) ? toEvent(given) : given),
      plugin: Object.assign(plugin, {
        // The decorators must also reach the routes outside the plugin, not only those inside it.
        [Symbol.for("skip-override")]: true,
        [Symbol.for("fastify.display-name")]: "keyhook",
        [Symbol.for("plugin-meta")]: { name: "keyhook", fastify: "5.x" },
      }),
      async guard(request, reply) {
        const refused = await protect(toEvent(request));
        return refused && send(refused, reply);
      },
    };
    // The Auth has the server functions, and converts their sources with `toRequestSource`.
    return members as OwnMembers & SourceFunctions<FastifyRequest>;
  },
};
