import {
  InitError,
  InvalidConfig,
  MissingAdapter,
  MissingRequest,
  PluginError,
} from "../errors/errors.ts";
import { wantsPage } from "../http/accept.ts";
import { toRequest } from "../http/lazy-request.ts";
import { expectPlugin, isPlugin, isPreset, refusePreset, USE } from "../kernel/check-plugin.ts";
import { createKernel } from "../kernel/kernel.ts";
import { expectConfig } from "../kernel/option-names.ts";
import { flattenPresets } from "../kernel/plugins.ts";
import { loadWorkerEnv } from "../kernel/worker-env.ts";
import { isPromise } from "../platform/awaitable.ts";
import { isObject } from "../platform/is-object.ts";
import { plainFailure, plainPage } from "../request/failure.ts";
import { withSession } from "../request/finish.ts";
import type { Auth, Binding, AuthFunction, AuthedRequest, Preset } from "../types/auth.ts";
import type { AuthConfig, ConfigSource } from "../types/config.ts";
import type { Awaitable } from "../types/models.ts";
import type { Plugin, RunCall } from "../types/plugin.ts";
import type {
  AnyRequestSource,
  Connection,
  LazyRequest,
  RequestSource,
} from "../types/request-source.ts";
import { authorize, protect } from "./authorize.ts";
import { type ActionHandler, getRequest } from "./call.ts";
import { createConnections } from "./connections.ts";
import { createKernels, type Entry } from "./kernels.ts";
import { expectReturned } from "./load-config.ts";
import { type Bootable, PARTS } from "./parts.ts";
import {
  csrfToken,
  getSession,
  holdSession,
  requireFreshSession,
  requireSession,
  verifyCsrfToken,
} from "./read-session.ts";
import { runCall } from "./run-call.ts";
import { signIn, signOut, update } from "./server-actions.ts";
import { createSharing } from "./shared-config.ts";
import type { Sharing } from "./sharing.ts";

// Titles and texts of pages that reveal nothing of the configuration.
const NOT_STARTED: Readonly<Record<500 | 503, readonly [title: string, text: string]>> = {
  500: [
    "Server error",
    "Sign-in is misconfigured on this server; the server's log contains the details.",
  ],
  503: ["Not ready yet", "Sign-in is not ready yet. Try again in a moment."],
};

// Returns the response to a request for which no kernel is ready.
function notStarted(request: Request | LazyRequest, status: 500 | 503): Response {
  if (request.method !== "GET" || !wantsPage(request)) return plainFailure(status);
  return plainPage(status, ...NOT_STARTED[status]);
}

// Returns the binding of a preset, or of the last preset that it extends. Boot reports circular and invalid presets.
function findBinding(preset: Preset): Binding | undefined {
  return flattenPresets([preset], () => {}).findLast(({ binding }) => binding)?.binding;
}

/** A member that bindings add (`Binding.extend`). */
interface RequestConverter {
  toRequestSource(given: AnyRequestSource): Awaitable<RequestSource>;
}

// A plugin must not replace a member of the Auth itself, such as `getSession`.
function expectNew(auth: Auth, plugin: string, added: object = {}): void {
  const taken = Object.keys(added).find((name) => name in auth);
  if (!taken) return;
  throw new PluginError(`"${plugin}" adds \`${taken}\`, which the Auth already has. Rename it.`);
}

/**
 * Creates an Auth from a preset and a configuration, or a function that returns one for each request. The contents of
 * either are neither read nor checked before the first request or `inspect()`.
 * @throws PluginError for a value that is not a preset, and InvalidConfig for one that is not a configuration.
 */
export function createAuthWith<Extension extends object = object>(
  preset: Preset<Extension>,
  source: ConfigSource = {},
): Auth & Extension {
  return buildAuth(preset, source, createSharing);
}

/**
 * Creates an Auth as `createAuthWith` does. Without `share`, configuration functions are refused, and the code for them
 * is not bundled.
 * @throws InvalidConfig also for a function without `share`.
 */
export function buildAuth<Extension extends object = object>(
  preset: Preset<Extension>,
  source: ConfigSource = {},
  share?: () => Sharing,
): Auth & Extension {
  if (!isPreset(preset)) throw refusePreset(preset, "createAuthWith() received");
  if (typeof source !== "function") expectConfig(source, "The configuration of createAuth()");
  else if (!share) {
    throw new InvalidConfig(
      "createAuth() of keyhook/minimal accepts no function. Use keyhook/kernel: " +
        "createAuthWith(minimalPreset, (request) => config).",
    );
  }
  const presets: Preset[] = [preset];
  const plugins: Plugin[] = [];
  const isDevelopmentServer = () => presets.some((one) => findBinding(one)?.development === true);
  const workerEnv = loadWorkerEnv();
  const findBy = (member: "env" | "toError") =>
    presets.map((one) => findBinding(one)).findLast((one) => one?.[member]);
  const readEnv = () => findBy("env")?.env?.() ?? workerEnv.read();
  const sharing = typeof source === "function" ? share?.() : undefined;
  const loader = typeof source === "function" ? sharing?.createLoader(source) : undefined;
  const connections = createConnections();
  const kernels = createKernels({
    connections,
    presets,
    plugins,
    isDevelopmentServer,
    readEnv,
    sharedMemory: findBinding(preset)?.sharedMemory,
    sharing,
  });

  const start = (
    config: AuthConfig,
    request: Request | LazyRequest,
    connection: Connection,
  ): Awaitable<Entry> => {
    const entry = kernels.enter(config, request, connection);
    const pending = entry.init();
    if (!isPromise(pending)) return entry;
    return pending.then(() => (entry.isValid() ? entry : start(config, request, connection)));
  };

  const expectObject = (
    method: string,
    fix = "Create an Auth with an object that the function returns.",
  ): AuthConfig => {
    if (typeof source !== "function") return source;
    throw new MissingRequest(
      `\`${method}\` has no request to pass to the configuration function. ${fix}`,
    );
  };

  const enter = (
    request: Request | LazyRequest,
    connection = connections.find(request),
  ): Awaitable<Entry> => {
    const { loading } = workerEnv;
    if (loading) return loading.then(() => enter(request, connection));
    return loader
      ? loader.load(toRequest(request)).then((config) => start(config, request, connection))
      : start(source as AuthConfig, request, connection);
  };

  // For the application's own code, which has no request.
  const enterAlone = async (method: string, fix?: string): Promise<Entry> => {
    await workerEnv.loading;
    const entry = kernels.enter(expectObject(method, fix));
    await entry.init();
    return entry;
  };

  const toSource = async (given: AnyRequestSource): Promise<RequestSource> => {
    const { toRequestSource } = auth as Partial<RequestConverter>;
    const converts = toRequestSource && isObject(given);
    return converts ? toRequestSource(given) : (given as RequestSource);
  };

  const call = async <T>(
    given: AnyRequestSource,
    work: (entry: Entry, source: RequestSource) => Awaitable<T>,
  ): Promise<T> => {
    try {
      const source = await toSource(given);
      const entry = await enter(getRequest(source));
      return await entry.run(() => work(entry, source));
    } catch (error) {
      const { toError } = findBy("toError") ?? {};
      throw toError ? toError(error) : error;
    }
  };

  // `elsewhere` returns the response to a request that is not below the base path.
  const respond = <T>(
    given: Request | LazyRequest | undefined,
    connection: Connection | undefined,
    elsewhere: () => T,
  ): Promise<Response | T> => {
    // Without a request, the kernel's handler logs what to pass, as for any other invalid value.
    const request = given ?? ({} as Request);
    const runEntry = ({ run, handler }: Entry) =>
      run(() => handler.handle(request, connection)) ?? elsewhere();
    // The code that threw the error has logged it.
    const refuse = (error: unknown) => {
      const isTemporary = error instanceof InitError || loader?.isFailure(error);
      return notStarted(request, isTemporary ? 503 : 500);
    };
    try {
      const entered = enter(request, connection);
      // After the first request nothing is pending here.
      return isPromise(entered)
        ? Promise.resolve(entered).then(runEntry, refuse)
        : Promise.resolve(runEntry(entered));
    } catch (error) {
      return Promise.resolve(refuse(error));
    }
  };

  const handle: Auth["handle"] = (request, connection) =>
    respond(request, connection, () => connections.keep(request, connection));
  // Accepts one argument only: the others that platforms pass to `fetch` are not a `Connection`.
  const fetch = (request: Request) => respond(request, undefined, () => plainFailure(404));

  const serve =
    <Rest extends unknown[], T>(
      serverFunction: (handler: ActionHandler, given: RequestSource, ...rest: Rest) => Promise<T>,
    ) =>
    (given: RequestSource, ...rest: Rest): Promise<T> =>
      call(given, ({ handler }, source) => serverFunction(handler, source, ...rest));
  const readSession = serve(getSession);

  const guarded =
    <R extends Request, Rest extends unknown[]>(
      next: (request: AuthedRequest<R>, ...rest: Rest) => Awaitable<Response>,
    ) =>
    (request: R, ...rest: Rest): Promise<Response> =>
      call(request, async ({ handler }, source) => {
        const { session, ctx, response: refused } = await authorize(handler, source);
        const response =
          refused ?? (await next(Object.assign(request, { auth: session }), ...rest));
        // Bindings may pass an event, whose response already has the cookies.
        return "req" in source ? response : withSession(ctx, response);
      });

  const runWork: RunCall = (given, work) =>
    call(given, ({ handler }, source) => runCall(handler, source, work));

  const auth: Auth = {
    use<Extension extends object>(this: Auth, value: Plugin<Extension> | Preset<Extension>) {
      const addition = expectPlugin(value, USE);
      if (kernels.hasBooted) {
        throw new PluginError(
          `"${addition.name}" was used after the first request. Call \`use\` directly after \`createAuth\`.`,
        );
      }
      // Kept only after its members are known, so that a refused addition has no effect.
      if (isPlugin(addition)) {
        const added = addition.extend?.(runWork);
        expectNew(this, addition.name, added);
        plugins.push(addition);
        return Object.assign(this, added as Extension);
      }
      const added = findBinding(addition)?.extend(own);
      presets.push(addition);
      return Object.assign(this, added as Extension);
    },
    fetch,
    handle,
    handlers: { GET: fetch, POST: fetch, PUT: fetch, PATCH: fetch, DELETE: fetch },
    auth: ((given: RequestSource | Parameters<typeof guarded>[0]) =>
      typeof given === "function" ? guarded(given) : readSession(given)) as AuthFunction,
    getSession: readSession,
    holdSession: serve(holdSession),
    requireSession: serve(requireSession),
    requireFreshSession: serve(requireFreshSession),
    csrfToken: serve(csrfToken),
    verifyCsrfToken: serve(verifyCsrfToken),
    authorize: (given) =>
      call(given, async ({ handler, checkAuthorized }, source) => {
        checkAuthorized();
        return (await authorize(handler, source)).response;
      }),
    protect: serve(protect),
    signIn: serve(signIn) as Auth["signIn"],
    signOut: serve(signOut) as Auth["signOut"],
    update: serve(update),
    unstable_update: serve(update),
    async sweep(options) {
      return (await enterAlone("sweep")).sweep(options);
    },
    async getAdapter() {
      const { kernel } = await enterAlone(
        "getAdapter",
        "Use `kernel.adapter` in a server function of a plugin (`extend`).",
      );
      if (kernel.adapter) return kernel.adapter;
      throw new MissingAdapter(
        "auth.getAdapter() needs an adapter. Use storeAdapter() of keyhook/adapters/store, or set `adapter`.",
      );
    },
    inspect: () => kernels.enter(expectObject("inspect")).kernel.inspect(),
  };
  const bootable: Bootable = {
    [PARTS]: () => ({
      isDevelopmentServer,
      readEnv,
      getConfig: () => expectObject("diagnose", "Use `diagnoseRequest`."),
      loadConfig: async (request) =>
        typeof source === "function" ? expectReturned(await source(request)) : source,
      boot: (options) => createKernel({ ...options, presets, plugins }),
    }),
  };
  Object.assign(auth, bootable);
  // Bindings call `own`, whose members stay the originals when a binding adds members of the same names. Members that
  // plugins add are found through the prototype.
  const own = Object.assign(Object.create(auth) as Auth, auth, { use: auth.use.bind(auth) });
  return Object.assign(
    auth,
    (findBinding(preset)?.extend(own) as Extension | undefined) ?? ({} as Extension),
  );
}
