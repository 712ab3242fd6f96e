import { AUTH, trimEnd } from "../../src/_kit.ts";
import { InvalidConfig } from "../../src/errors.ts";
import type { Auth, AuthConfig, Binding, RequestEvent, Session } from "../../src/kernel.ts";
import { createUrlActions, type SourceFunctions, type UrlActions } from "./_server-functions.ts";
import {
  type NodeMembers,
  isNodeRequest,
  nodeBinding,
  type NodeHandler,
  type NodeRequest,
  sendResponse,
} from "./node.ts";

type ServerResponse = Parameters<NodeHandler>[1];

/** The parts of an Express 4 or 5 request that Keyhook reads. */
export interface ExpressRequest extends NodeRequest {
  /** The path at which the router is mounted, in the client's spelling. */
  readonly baseUrl?: string;
  readonly params?: Readonly<Record<string, string | readonly string[]>>;
  /** The route of the handler, if it is not mounted by a router. */
  readonly route?: unknown;
  /** The response, which Express adds to each request. */
  readonly res?: ServerResponse | undefined;
}

interface OwnMembers extends NodeMembers, UrlActions<ExpressRequest> {
  getSession(req: ExpressRequest, res?: ServerResponse): Promise<Session | null>;
  /**
   * Passes on requests with a session, and those for the sign-in page and the routes. Without a session, a browser that
   * navigates to a page is redirected to the sign-in page and back. Other requests get 401.
   * @example app.use("/admin", auth.guard);
   */
  readonly guard: NodeHandler;
}

/**
 * The members that `createAuth` of `keyhook/express` adds to an Auth. Its server functions also accept Express requests.
 */
export interface ExpressMembers extends SourceFunctions<ExpressRequest>, OwnMembers {
  getSession(req: ExpressRequest, res?: ServerResponse): Promise<Session | null>;
}

const isRequest = (given: unknown): given is ExpressRequest => isNodeRequest(given);

/**
 * The binding for Express 4 and 5. It imports nothing of Express. Every server function also accepts an Express
 * request.
 */
export const expressBinding: Binding<ExpressMembers> = {
  name: "bindings/express",
  extend(auth: Auth) {
    const node = nodeBinding.extend(auth);
    const toEvent = (req: ExpressRequest, res = req.res) =>
      node.toRequestSource(req, res) as RequestEvent;
    const { getSession, protect } = auth;
    const members: OwnMembers = {
      ...node,
      ...createUrlActions(auth, isRequest, toEvent),
      toRequestSource: (given, res) =>
        isRequest(given) ? toEvent(given, res) : node.toRequestSource(given),
      getSession: async (req, res) => getSession(isRequest(req) ? toEvent(req, res) : req),
      guard(req, res, next) {
        const respond = async () => {
          const refused = await protect(toEvent(req, res));
          if (refused) return sendResponse(refused, res);
          next?.();
        };
        respond().catch((error: unknown) => next?.(error));
      },
    };
    // The Auth has the server functions, and converts their sources with `toRequestSource`.
    return members as OwnMembers & SourceFunctions<ExpressRequest>;
  },
};

const withoutSlashes = (path: string): string => trimEnd(path, "/");

// A trailing slash may be encoded.
function decode(text: string): string | undefined {
  try {
    return withoutSlashes(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}

/**
 * Lists what the wildcards of a path may have matched, without leading and trailing slashes: one text for each syntax
 * of a wildcard. Express 5 has a list of segments. Express 4 has a numbered parameter, which is the whole match for
 * `/auth/*` and `/auth/:rest(*)`. For `/auth/:rest*` it is what follows the first segment.
 */
function listMatches(params: ExpressRequest["params"] = {}): string[] {
  const entries = Object.entries(params);
  const isNumber = ([name]: readonly [string, unknown]) => /^\d+$/.test(name);
  const rest = entries.findLast(isNumber)?.[1];
  const texts = entries.flatMap((entry) => {
    if (Array.isArray(entry[1])) return [entry[1].join("/")];
    // For `/auth/:rest(*)`, both names have the whole match.
    const isPart = rest !== undefined && !isNumber(entry) && entry[1] !== rest;
    return isPart ? [`${String(entry[1])}${String(rest)}`] : [];
  });
  return [...texts, ...(rest === undefined ? [] : [String(rest)])].map((text) =>
    withoutSlashes(text.replace(/^\//, "")),
  );
}

// Returns the path before the segments that decode to `text`. At most one such path exists.
function cut(path: string, text: string): string | undefined {
  if (text === "") return path;
  const segments = path.split("/");
  const at = segments.findLastIndex((_, from) => decode(segments.slice(from).join("/")) === text);
  return at > 0 ? segments.slice(0, at).join("/") : undefined;
}

// No application mounts a handler below an empty segment or an encoded slash, so a wildcard has begun there.
function withoutWildcard(path: string): string {
  const segments = path.split("/");
  const odd = segments.findIndex((one, at) => at > 0 && (one === "" || /%2f/i.test(one)));
  return segments.slice(0, odd === -1 ? undefined : odd).join("/");
}

/**
 * Returns the path at which a request has reached a handler, without a wildcard's match and in lower case. Express
 * routes ignore case, and the client must not choose the spelling. `""` at the root.
 */
export function getMountPath(req: ExpressRequest): string {
  const { baseUrl = "", params, route, url = "/" } = req;
  const path = withoutSlashes(baseUrl + (url.split("?", 1)[0] as string));
  const texts = listMatches(params);
  // A router has moved the wildcard's match to `baseUrl`; a route leaves it in `url`. The part that a router leaves in
  // `url` was not matched by the wildcard, and a client may repeat the same text there.
  const matched = route ? [path] : [withoutSlashes(baseUrl), path];
  const cuts = matched.flatMap((from) => texts.map((text) => cut(from, text)));
  const mount = cuts.find((found) => found !== undefined) ?? (route ? path : baseUrl);
  return withoutWildcard(mount).toLowerCase();
}

/**
 * More than the number of mount paths of an application, and fewer than the possible values of a parameter in a mount
 * path.
 */
const MAX_MOUNTS = 8;

/** The Auths of one configuration, each with its base path. */
export interface Mounts<A> {
  /**
   * Returns the Auth that is mounted at a path, unless the configuration sets another base path.
   * @throws InvalidConfig for more paths than an application mounts.
   */
  mount(basePath: string): A;
  /** Returns the Auth that was mounted first, or before that, the Auth of the default base path. */
  readonly current: A;
}

/** Creates the record of the Auths of configurations. An Auth lasts as long as its configuration object. */
export function createMounts<A>(
  create: (config: AuthConfig, basePath: string) => A,
): (config: AuthConfig) => Mounts<A> {
  const byConfig = new WeakMap<AuthConfig, Mounts<A>>();
  return (config) => {
    const known = byConfig.get(config);
    if (known) return known;
    const auths = new Map<string, A>();
    const open = (basePath: string): A => {
      const auth = auths.get(basePath) ?? create(config, basePath);
      auths.set(basePath, auth);
      return auth;
    };
    let mounted: A | undefined;
    const mounts: Mounts<A> = {
      mount(path) {
        const basePath = config.basePath ?? (path || "/auth");
        if (!auths.has(basePath) && auths.size >= MAX_MOUNTS) {
          throw new InvalidConfig(
            `ExpressAuth() was reached at more than ${MAX_MOUNTS} base paths, such as ${auths.keys().next().value}. A path ` +
              "with a parameter creates a base path for each value: mount it at a fixed path, or set `basePath`.",
          );
        }
        const auth = open(basePath);
        mounted ??= auth;
        return auth;
      },
      get current() {
        return mounted ?? open(config.basePath ?? "/auth");
      },
    };
    byConfig.set(config, mounts);
    return mounts;
  };
}

/** Exposes the Auth of a handler to the command line: `npx keyhook doctor app.js --export handler`. */
export function exposeAuth<H extends object>(handler: H, mounts: Mounts<unknown>): H {
  return Object.defineProperty(handler, AUTH, { get: () => mounts.current });
}
