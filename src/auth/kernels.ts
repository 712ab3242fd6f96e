import { randomHex } from "../crypto/crypto.ts";
import { isLocalRequest } from "../http/origin.ts";
import { processEnv } from "../kernel/env.ts";
import {
  type DecidedEnvironment,
  type Environment,
  findEnvironment,
} from "../kernel/environment.ts";
import { type Booted, createKernel, type KernelOptions } from "../kernel/kernel.ts";
import { createLogger } from "../kernel/logger.ts";
import { createMemory } from "../kernel/memory.ts";
import { createHandler } from "../request/handler.ts";
import type { AuthConfig } from "../types/config.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Env } from "../types/options.ts";
import type { Connection, LazyRequest } from "../types/request-source.ts";
import type { ActionHandler } from "./call.ts";
import type { Connections } from "./connections.ts";
import { createRequestMemory } from "./request-memory.ts";
import type { Sharing, SharedConfig } from "./sharing.ts";

/** The kernel of a request and its handler. */
export interface Entry extends Booted {
  readonly handler: ActionHandler;
  /** Warns once if no tap decides which requests may pass. */
  checkAuthorized(): void;
  /** Runs the work of the request with the functions of the request's own configuration. */
  run<T>(work: () => T): T;
  /**
   * Returns whether the kernel still serves this configuration after `init`, which may have called functions of
   * another.
   */
  isValid(): boolean;
}

/** The options that the kernels of an Auth share. */
export interface KernelsOptions extends Pick<KernelOptions, "presets" | "plugins"> {
  /** The connections that `handle` received with requests. */
  readonly connections: Connections;
  /** Finds the form that equal configurations share; set if the configuration is a function. */
  readonly sharing: Sharing | undefined;
  isDevelopmentServer(): boolean;
  /** Returns the environment variables of the framework's server; `undefined` if they are those of the process. */
  readEnv(): Env | undefined;
  /** Name of the memory that all Auths of the binding share (`Binding.sharedMemory`). */
  readonly sharedMemory: string | undefined;
}

/** The kernels of an Auth. */
export interface Kernels {
  /**
   * Returns the kernel for a configuration and a request, and boots it when first needed. Calls without a request come
   * from the application's own code.
   * @throws the fault of the boot.
   */
  enter(config: AuthConfig, request?: Request | LazyRequest, connection?: Connection): Entry;
  /** Whether a kernel has booted or failed to boot. */
  readonly hasBooted: boolean;
}

type Boot = { readonly entry: Entry } | { readonly fault: unknown };

// The kernels of equal configurations: one for each environment that their requests have.
interface Boots {
  /** The configuration that the kernels boot with. */
  readonly config: AuthConfig;
  /** The form that equal configurations of a function share; `undefined` for a configuration object. */
  readonly shared: SharedConfig | undefined;
  /** The adapter as it was given: the shared form may contain a copy. */
  readonly adapter: object | undefined;
  readonly stated: DecidedEnvironment<Environment | undefined>;
  readonly kernels: Partial<Record<Environment, Boot>>;
}

function isLocal(
  request: Request | LazyRequest | undefined,
  connection: Connection | undefined,
): boolean {
  return request === undefined || isLocalRequest(request, connection?.ip);
}

function createAuthorizedCheck(kernel: Kernel): () => void {
  let isChecked = false;
  return () => {
    if (isChecked) return;
    isChecked = true;
    // `isUsed` is also true for an interceptor, which decides nothing.
    if (kernel.inspect().hooks.authorized?.taps.length) return;
    kernel.logger.warn(
      "authorized-unused",
      "`authorize` lets every request pass. Set `callbacks.authorized`, tap the hook `authorized`, or call " +
        "`auth.requireSession`.",
    );
  };
}

/**
 * Creates the kernels of an Auth: one for a configuration object, or one for each set of equal configurations of a
 * function.
 */
export function createKernels(options: KernelsOptions): Kernels {
  const { sharing, presets, plugins, isDevelopmentServer, readEnv } = options;
  const findConnection = options.connections.find;
  const memory = createMemory(options.sharedMemory);
  // Used in development only, where sessions then last as long as this process: in production, boot refuses a missing
  // secret. Created on first use, because edge runtimes have no randomness before the first request.
  let madeSecret: string | undefined;
  const devSecret = () => (madeSecret ??= randomHex(32));
  let hasBooted = false;
  // Keyed by configuration and by shared form.
  const known = new WeakMap<AuthConfig | SharedConfig, Boots>();

  const createBoots = (config: AuthConfig, shared: SharedConfig | undefined): Boots => {
    hasBooted = true;
    const boots: Boots = {
      config: shared?.config ?? config,
      shared,
      adapter: config.adapter,
      stated: findEnvironment(
        (config.env as Env | undefined) ?? readEnv() ?? processEnv(),
        isDevelopmentServer(),
      ),
      kernels: {},
    };
    known.set(config, boots);
    if (shared) known.set(shared, boots);
    return boots;
  };

  const findBoots = (config: AuthConfig): Boots => {
    const found = known.get(config);
    if (found) return found;
    try {
      const shared = sharing?.find(config);
      return (shared && known.get(shared)) ?? createBoots(config, shared);
    } catch (fault) {
      createLogger(config.logger, config.debug).error(fault as Error);
      throw fault;
    }
  };

  const boot = (
    { config, shared, adapter }: Boots,
    environment: DecidedEnvironment,
    request: Request | LazyRequest | undefined,
  ): Boot => {
    const within = <T>(work: () => T): T => (shared ? shared.boot(work) : work());
    try {
      const env = readEnv();
      const given = { config, presets, plugins, environment, devSecret, memory, env };
      const { kernel, init, sweep } = within(() => createKernel(given));
      sharing?.check(kernel, adapter);
      const requests = createRequestMemory(kernel);
      const handler = { ...createHandler(kernel), kernel, memory: requests, findConnection };
      const checkAuthorized = createAuthorizedCheck(kernel);
      const entry: Entry = {
        kernel,
        init: () => within(init),
        sweep,
        handler,
        checkAuthorized,
        run: (work) => work(),
        isValid: () => true,
      };
      return { entry };
    } catch (fault) {
      sharing?.locate(fault, request);
      createLogger(config.logger, config.debug).error(fault as Error);
      return { fault };
    }
  };

  return {
    get hasBooted() {
      return hasBooted;
    },
    enter(config, request, connection) {
      const boots = findBoots(config);
      const { shared, stated, kernels } = boots;
      const name = stated.name ?? (isLocal(request, connection) ? "development" : "production");
      const found = (kernels[name] ??= boot(boots, { name, reason: stated.reason }, request));
      if ("fault" in found) throw found.fault;
      if (!shared) return found.entry;
      const run = <T>(work: () => T): T => shared.run(config, work);
      return { ...found.entry, run, isValid: () => shared.matches(config) };
    },
  };
}
