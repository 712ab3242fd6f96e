import { randomHex } from "../crypto/crypto.ts";
import { InitError, MissingRequest, PluginError } from "../errors/errors.ts";
import { isLocalRequest } from "../http/origin.ts";
import { expectPlugin, isPlugin, isPreset, USE } from "../kernel/check-plugin.ts";
import { processEnv } from "../kernel/env.ts";
import {
  type DecidedEnvironment,
  type Environment,
  findEnvironment,
} from "../kernel/environment.ts";
import { type Booted, createKernel } from "../kernel/kernel.ts";
import { createLogger } from "../kernel/logger.ts";
import { expectConfig } from "../kernel/option-names.ts";
import { isPromise } from "../platform/awaitable.ts";
import { nameType } from "../platform/type-name.ts";
import { plainFailure, plainPage, wantsPage } from "../request/failure.ts";
import { createHandler, type Handler, withCookies } from "../request/handler.ts";
import type {
  Auth,
  Binding,
  AuthFunction,
  AuthedRequest,
  Connection,
  RequestSource,
  Preset,
} from "../types/auth.ts";
import type { AuthConfig, ConfigSource } from "../types/config.ts";
import type { Kernel, Plugin } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import { diagnose } from "./diagnose.ts";
import {
  authorize,
  csrfToken,
  getRequest,
  getSession,
  requireSession,
  signIn,
  signOut,
  update,
} from "./server-actions.ts";

interface Running extends Booted {
  handler: Handler;
  /** Warns, the first time, when no tap decides which requests may pass. */
  checkAuthorized(): void;
}

type Boot = { running: Running } | { fault: unknown };

// Of one configuration: a kernel for each environment that its requests have.
interface Boots {
  stated: DecidedEnvironment<Environment | undefined>;
  kernels: Partial<Record<Environment, Boot>>;
}

// Titles and texts of pages that reveal nothing of the configuration.
const NOT_STARTED: Readonly<Record<500 | 503, readonly [title: string, text: string]>> = {
  500: [
    "Server error",
    "Sign-in is misconfigured on this server; the server's log contains the details.",
  ],
  503: ["Not ready yet", "Sign-in is not ready yet. Try again in a moment."],
};

// The response to a request for which no kernel is ready.
function notStarted(request: Request, error: unknown): Response {
  const status = error instanceof InitError ? 503 : 500;
  if (request.method !== "GET" || !wantsPage(request)) return plainFailure(status);
  return plainPage(status, ...NOT_STARTED[status]);
}

// The binding of a preset, or of the nearest preset that it extends. Boot reports circles and other values.
function findBinding(preset: Preset, seen: ReadonlySet<Preset> = new Set()): Binding | undefined {
  if (preset.binding || seen.has(preset)) return preset.binding;
  const path = new Set([...seen, preset]);
  return preset.extends
    ?.filter(isPreset)
    .map((base) => findBinding(base, path))
    .findLast(Boolean);
}

function createAuthorizedCheck(kernel: Kernel): () => void {
  let isChecked = false;
  return () => {
    if (isChecked) return;
    isChecked = true;
    // An interceptor decides nothing, so `isUsed` does not tell.
    if (kernel.inspect().hooks.authorized?.taps.length) return;
    kernel.logger.warn(
      "authorized-unused",
      "`authorize` lets every request pass: nothing decides. Set `callbacks.authorized`, tap the hook " +
        "`authorized`, or call `auth.requireSession`.",
    );
  };
}

function isLocal(request: Request | undefined, connection: Connection | undefined): boolean {
  return request === undefined || isLocalRequest(request, connection?.ip);
}

async function loadConfig(
  source: Extract<ConfigSource, (...args: never) => unknown>,
  request: Request | undefined,
): Promise<AuthConfig> {
  try {
    return expectConfig(await source(request), "What the configuration function returns");
  } catch (error) {
    // Without a configuration there is no logger of the application.
    createLogger().error(error as Error);
    throw error;
  }
}

/**
 * Creates an Auth from a preset and a configuration, or a function that returns one for each request. What is
 * in them is neither read nor checked before the first request or `inspect()`.
 * @throws PluginError for a value that is not a preset, and InvalidConfig for one that is not a configuration.
 */
export function createAuthWith<Extension extends object = object>(
  preset: Preset<Extension>,
  source: ConfigSource = {},
): Auth & Extension {
  if (!isPreset(preset)) {
    const text = `createAuthWith() received ${nameType(preset)} that is not a preset`;
    throw new PluginError(`${text}: a preset has a list of \`plugins\`.`);
  }
  if (typeof source !== "function") expectConfig(source, "The configuration of createAuth()");
  const presets: Preset[] = [preset];
  const plugins: Plugin[] = [];
  // For development only, where sessions then last as long as this process: in production boot refuses a
  // missing secret. Created on first use: edge runtimes have no randomness before the first request.
  let devSecret: string | undefined;
  const knownBoots = new WeakMap<AuthConfig, Boots>();
  let frozen = false;

  const isDevelopmentServer = () => presets.some((one) => findBinding(one)?.development === true);

  // Without a request it is the application's own code that asks.
  const getRunning = (config: AuthConfig, request?: Request, connection?: Connection): Running => {
    let boots = knownBoots.get(config);
    if (!boots) {
      const stated = findEnvironment(config.env ?? processEnv(), isDevelopmentServer());
      boots = { stated, kernels: {} };
      knownBoots.set(config, boots);
    }
    const { stated, kernels } = boots;
    const name = stated.name ?? (isLocal(request, connection) ? "development" : "production");
    let boot = kernels[name];
    if (!boot) {
      frozen = true;
      try {
        devSecret ??= randomHex(32);
        const environment = { name, reason: stated.reason };
        const booted = createKernel({ config, presets, plugins, environment, devSecret });
        const { kernel } = booted;
        const handler = createHandler(kernel);
        boot = { running: { ...booted, handler, checkAuthorized: createAuthorizedCheck(kernel) } };
      } catch (fault) {
        createLogger(config.logger, config.debug).error(fault as Error);
        boot = { fault };
      }
      kernels[name] = boot;
    }
    if ("fault" in boot) throw boot.fault;
    return boot.running;
  };

  const start = (
    config: AuthConfig,
    request?: Request,
    connection?: Connection,
  ): Awaitable<Running> => {
    const running = getRunning(config, request, connection);
    const pending = running.init();
    return isPromise(pending) ? pending.then(() => running) : running;
  };

  const expectObject = (method: string): AuthConfig => {
    if (typeof source !== "function") return source;
    throw new MissingRequest(
      `The configuration is a function and needs a request: \`${method}\` requires a configuration object.`,
    );
  };

  const running = (
    request: Request,
    connection: Connection = request as Connection,
  ): Awaitable<Running> =>
    typeof source === "function"
      ? loadConfig(source, request).then((config) => start(config, request, connection))
      : start(source, request, connection);

  const handle: Auth["handle"] = async (request, connection) => {
    let booted: Running;
    try {
      booted = await running(request, connection);
    } catch (error) {
      // What threw it has logged it.
      return notStarted(request, error);
    }
    return booted.handler.handle(request, connection);
  };
  // One argument only: platforms pass others to a `fetch`, which are no `Connection`.
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
    use<Extension extends object>(this: Auth, value: Plugin | Preset<Extension>) {
      const addition = expectPlugin(value, USE);
      if (frozen) {
        throw new PluginError(
          `"${addition.name}" was used after the first request. Call \`use\` directly after \`createAuth\`.`,
        );
      }
      if (isPlugin(addition)) plugins.push(addition);
      else presets.push(addition);
      const binding = isPlugin(addition) ? undefined : findBinding(addition);
      return Object.assign(this, binding?.extend(auth) as Extension);
    },
    fetch,
    handle,
    handlers: { GET: fetch, POST: fetch, PUT: fetch, PATCH: fetch, DELETE: fetch },
    auth: ((given: RequestSource | Parameters<typeof guarded>[0]) =>
      typeof given === "function" ? guarded(given) : readSession(given)) as AuthFunction,
    getSession: readSession,
    async requireSession(call) {
      const { handler } = await running(getRequest(call));
      return requireSession(handler, call);
    },
    async csrfToken(call) {
      const { handler } = await running(getRequest(call));
      return csrfToken(handler, call);
    },
    async authorize(call) {
      const { handler, checkAuthorized } = await running(getRequest(call));
      checkAuthorized();
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
    inspect: () => getRunning(expectObject("inspect")).kernel.inspect(),
    diagnose: (changes) =>
      diagnose(
        {
          config: expectObject("diagnose"),
          presets,
          plugins,
          isDevelopmentServer: isDevelopmentServer(),
        },
        changes,
      ),
  };
  return Object.assign(
    auth,
    (findBinding(preset)?.extend(auth) as Extension | undefined) ?? ({} as Extension),
  );
}
