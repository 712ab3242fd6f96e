import { randomHex } from "./crypto.ts";
import { MissingRequest, PluginError } from "./errors.ts";
import { plainFailure, wantsPage } from "./failure.ts";
import { createHandler, type Handler, withCookies } from "./handler.ts";
import { type Booted, createKernel } from "./kernel.ts";
import { createLogger } from "./logger.ts";
import { isPlugin } from "./plugins.ts";
import { csrfToken, guard, readSession, requestOf, signIn, signOut, update } from "./verbs.ts";
import type { Auth, AuthFunction, AuthedRequest, Call, Inspection, Preset } from "./types/auth.ts";
import type { AuthConfig, ConfigSource } from "./types/config.ts";
import type { Plugin } from "./types/kernel.ts";
import type { Awaitable } from "./types/models.ts";

interface Running extends Booted {
  handler: Handler;
}

type Boot = { running: Running } | { fault: unknown };

// What a visitor sees of a misconfigured server: nothing of it.
async function misconfigured(request: Request): Promise<Response> {
  if (request.method !== "GET" || !wantsPage(request)) return plainFailure(500);
  const { respondWithPage } = await import("./page/respond.ts");
  const { origin } = new URL(request.url);
  const text = "Sign-in is misconfigured on this server; its log says how.";
  return respondWithPage(
    { name: "misconfigured", title: "Server error", status: 500, blocks: [{ kind: "text", text }] },
    {
      theme: {},
      nonce: randomHex(16),
      origin,
      base: origin,
      reading: { language: "en", direction: "ltr" },
    },
  );
}

async function configOf(
  source: Extract<ConfigSource, (...args: never) => unknown>,
  request: Request | undefined,
): Promise<AuthConfig> {
  try {
    return await source(request);
  } catch (error) {
    // Without a configuration there is no logger of the application's.
    createLogger().error(error as Error);
    throw error;
  }
}

/**
 * Makes an Auth from a configuration (or a function that gives one for each request) and a preset.
 * Nothing is read or checked before the first request or `inspect()`.
 */
export function createAuthWith<Face extends object = object>(
  preset: Preset<Face>,
  source: ConfigSource = {},
): Auth & Face {
  const presets: Preset[] = [preset];
  const plugins: Plugin[] = [];
  // Development only: sessions live as long as this process (SPEC.md asks for a secret in production).
  // Made when it is needed: edge runtimes have no randomness before the first request.
  let spareSecret: string | undefined;
  const boots = new WeakMap<AuthConfig, Boot>();
  let frozen = false;

  const bootOf = (config: AuthConfig): Running => {
    let boot = boots.get(config);
    if (!boot) {
      frozen = true;
      try {
        spareSecret ??= randomHex(32);
        const booted = createKernel({ config, presets, plugins, spareSecret });
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
    typeof source === "function" ? configOf(source, request).then(bootOf) : bootOf(source);

  const handle = async (request: Request): Promise<Response | undefined> => {
    let booted: Running;
    try {
      booted = await running(request);
    } catch {
      // Logged when it was found.
      return misconfigured(request);
    }
    return booted.handler.handle(request);
  };
  const fetch = async (request: Request) => (await handle(request)) ?? plainFailure(404);

  const getSession = async (call: Call) => {
    const { kernel, handler } = await running(requestOf(call));
    return (await readSession(kernel, handler, call)).session;
  };

  const guarded =
    <R extends Request, Rest extends unknown[]>(
      next: (request: AuthedRequest<R>, ...rest: Rest) => Awaitable<Response>,
    ) =>
    async (request: R, ...rest: Rest): Promise<Response> => {
      const { kernel, handler } = await running(request);
      const { session, ctx } = await readSession(kernel, handler, request);
      const refused = await guard(ctx, session);
      const response = refused ?? (await next(Object.assign(request, { auth: session }), ...rest));
      return withCookies(ctx, response);
    };

  const auth: Auth = {
    use(addition) {
      if (frozen) {
        throw new PluginError(
          `"${addition.name}" was used after the first request. Call \`use\` where \`createAuth\` is called.`,
        );
      }
      if (isPlugin(addition)) plugins.push(addition);
      else presets.push(addition);
      return this;
    },
    fetch,
    handle,
    handlers: { GET: fetch, POST: fetch },
    auth: ((given: Call | Parameters<typeof guarded>[0]) =>
      typeof given === "function" ? guarded(given) : getSession(given)) as AuthFunction,
    getSession,
    async csrfToken(call) {
      const { handler } = await running(requestOf(call));
      return csrfToken(handler, call);
    },
    async authorize(call) {
      const { kernel, handler } = await running(requestOf(call));
      const { session, ctx } = await readSession(kernel, handler, call);
      return guard(ctx, session);
    },
    async signIn(call, provider, options, authorizationParams) {
      const { kernel, handler } = await running(requestOf(call));
      return signIn(kernel, handler, call, provider, options, authorizationParams);
    },
    async signOut(call, options) {
      const { handler } = await running(requestOf(call));
      return signOut(handler, call, options);
    },
    async update(call, data) {
      const { kernel, handler } = await running(requestOf(call));
      return update(kernel, handler, call, data);
    },
    async unstable_update(call, data) {
      return auth.update(call, data);
    },
    inspect(): Inspection {
      if (typeof source === "function") {
        throw new MissingRequest("The configuration is made for each request: nothing to inspect.");
      }
      return bootOf(source).inspect();
    },
  };
  return Object.assign(auth, preset.binding?.face(auth) ?? ({} as Face));
}
