import { randomHex } from "../crypto/crypto.ts";
import { MissingRequest, PluginError } from "../errors/errors.ts";
import { type Booted, createKernel } from "../kernel/kernel.ts";
import { createLogger } from "../kernel/logger.ts";
import { isPlugin } from "../kernel/plugins.ts";
import { plainFailure, plainPage, wantsPage } from "../request/failure.ts";
import { createHandler, type Handler, withCookies } from "../request/handler.ts";
import type {
  Auth,
  Binding,
  AuthFunction,
  AuthedRequest,
  RequestSource,
  Inspection,
  Preset,
} from "../types/auth.ts";
import type { AuthConfig, ConfigSource } from "../types/config.ts";
import type { Plugin } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import {
  authorize,
  csrfToken,
  getRequest,
  getSession,
  signIn,
  signOut,
  update,
} from "./server-actions.ts";

interface Running extends Booted {
  handler: Handler;
}

type Boot = { running: Running } | { fault: unknown };

// The response of a misconfigured server; it reveals nothing of the configuration.
function misconfigured(request: Request): Response {
  if (request.method !== "GET" || !wantsPage(request)) return plainFailure(500);
  const text = "Sign-in is misconfigured on this server; the server's log contains the details.";
  return plainPage(500, "Server error", text);
}

// The binding of a preset, or of the nearest preset that it extends. Boot reports circles.
function findBinding(preset: Preset, seen: ReadonlySet<Preset> = new Set()): Binding | undefined {
  if (preset.binding || seen.has(preset)) return preset.binding;
  const path = new Set([...seen, preset]);
  return preset.extends?.map((base) => findBinding(base, path)).findLast(Boolean);
}

async function loadConfig(
  source: Extract<ConfigSource, (...args: never) => unknown>,
  request: Request | undefined,
): Promise<AuthConfig> {
  try {
    return await source(request);
  } catch (error) {
    // Without a configuration there is no logger of the application.
    createLogger().error(error as Error);
    throw error;
  }
}

/**
 * Creates an Auth from a preset and a configuration, or a function that returns one for each request. Nothing
 * is read or checked before the first request or `inspect()`.
 */
export function createAuthWith<Extension extends object = object>(
  preset: Preset<Extension>,
  source: ConfigSource = {},
): Auth & Extension {
  const presets: Preset[] = [preset];
  const plugins: Plugin[] = [];
  // For development only, where sessions then last as long as this process: in production boot refuses a
  // missing secret. Created on first use: edge runtimes have no randomness before the first request.
  let devSecret: string | undefined;
  const boots = new WeakMap<AuthConfig, Boot>();
  let frozen = false;

  const getRunning = (config: AuthConfig): Running => {
    let boot = boots.get(config);
    if (!boot) {
      frozen = true;
      try {
        devSecret ??= randomHex(32);
        const booted = createKernel({ config, presets, plugins, devSecret });
        boot = { running: { ...booted, handler: createHandler(booted.kernel) } };
      } catch (fault) {
        createLogger(config.logger, config.debug).error(fault as Error);
        boot = { fault };
      }
      boots.set(config, boot);
    }
    if ("fault" in boot) throw boot.fault;
    return boot.running;
  };

  const running = (request: Request | undefined): Awaitable<Running> =>
    typeof source === "function"
      ? loadConfig(source, request).then(getRunning)
      : getRunning(source);

  const handle = async (request: Request): Promise<Response | undefined> => {
    let booted: Running;
    try {
      booted = await running(request);
    } catch {
      // `getRunning` and `loadConfig` have logged it.
      return misconfigured(request);
    }
    return booted.handler.handle(request);
  };
  const fetch = async (request: Request) => (await handle(request)) ?? plainFailure(404);

  const readSession = async (call: RequestSource) => {
    const { handler } = await running(getRequest(call));
    return getSession(handler, call);
  };

  const guarded =
    <R extends Request, Rest extends unknown[]>(
      next: (request: AuthedRequest<R>, ...rest: Rest) => Awaitable<Response>,
    ) =>
    async (request: R, ...rest: Rest): Promise<Response> => {
      const { handler } = await running(request);
      const { session, ctx, response: refused } = await authorize(handler, request);
      const response = refused ?? (await next(Object.assign(request, { auth: session }), ...rest));
      return withCookies(ctx, response);
    };

  const auth: Auth = {
    use(this: Auth, addition: Plugin | Preset) {
      if (frozen) {
        throw new PluginError(
          `"${addition.name}" was used after the first request. Call \`use\` directly after \`createAuth\`.`,
        );
      }
      if (isPlugin(addition)) {
        plugins.push(addition);
        return this;
      }
      presets.push(addition);
      return Object.assign(this, findBinding(addition)?.extend(auth));
    },
    fetch,
    handle,
    handlers: { GET: fetch, POST: fetch },
    auth: ((given: RequestSource | Parameters<typeof guarded>[0]) =>
      typeof given === "function" ? guarded(given) : readSession(given)) as AuthFunction,
    getSession: readSession,
    async csrfToken(call) {
      const { handler } = await running(getRequest(call));
      return csrfToken(handler, call);
    },
    async authorize(call) {
      const { handler } = await running(getRequest(call));
      return (await authorize(handler, call)).response;
    },
    async signIn(call, provider, options, authorizationParams) {
      const { kernel, handler } = await running(getRequest(call));
      return signIn(kernel, handler, call, provider, options, authorizationParams);
    },
    async signOut(call, options) {
      const { handler } = await running(getRequest(call));
      return signOut(handler, call, options);
    },
    async update(call, data) {
      const { handler } = await running(getRequest(call));
      return update(handler, call, data);
    },
    async unstable_update(call, data) {
      return auth.update(call, data);
    },
    inspect(): Inspection {
      if (typeof source === "function") {
        throw new MissingRequest(
          "The configuration is a function and needs a request: `inspect` requires a configuration object.",
        );
      }
      return getRunning(source).inspect();
    },
  };
  return Object.assign(
    auth,
    (findBinding(preset)?.extend(auth) as Extension | undefined) ?? ({} as Extension),
  );
}
