import {
  AUTH,
  isObject,
  isSafeMethod,
  keepUnshared,
  processEnv,
  wantsPage,
} from "../../src/_kit.ts";
import { AuthError, MissingRequest, Refused } from "../../src/errors.ts";
import type {
  Auth,
  Binding,
  Connection,
  LazyRequest,
  Preset,
  RequestSource,
} from "../../src/kernel.ts";
import { getSignInUrl, startSignIn, startSignOut, type Target } from "./_action.ts";
import { homePlugin } from "./_home.ts";
import { readForm } from "./sveltekit/form.ts";
import { type KitRuntime, loadRuntime, type LoadRuntime } from "./sveltekit/runtime.ts";
import type {
  KitActionFailure,
  KitActionResult,
  KitMembers,
  KitFunctions,
  KitHandle,
  OwnMembers,
  KitSignIn,
  KitSignOut,
} from "./sveltekit/types.ts";
import { createVisits, type KitEvent, type OpenVisit } from "./sveltekit/visit.ts";

export type * from "./sveltekit/types.ts";

const isKitEvent = (given: unknown): given is KitEvent =>
  isObject(given) && "request" in given && "locals" in given && "cookies" in given;

const isSafe = ({ request }: KitEvent): boolean => isSafeMethod(request.method);

// Kit turns a redirect into what the page's own scripts expect: the page's data, or the result of an action.
function followsRedirect({ request, isDataRequest }: KitEvent): boolean {
  return isDataRequest || request.headers.has("x-sveltekit-action") || wantsPage(request);
}

// The page to which the visitor returns after signing in. After a post it has no query, which names the form action.
const getPage = ({ url, request }: KitEvent): string =>
  isSafe({ request } as KitEvent) ? url.href : url.pathname;

function redirectTo(
  { redirect }: KitRuntime,
  { url, redirect: isWanted }: Target,
): KitActionResult {
  if (isWanted) redirect(303, url);
  return { url };
}

function describeFailure(error: unknown): [status: number, data: KitActionFailure] | undefined {
  if (error instanceof Refused) return [error.response.status, { error: error.type }];
  if (!(error instanceof AuthError) || !error.public) return undefined;
  const { status, type, code } = error;
  // A provider or a mail service that is down may recover. The form then stays, instead of Kit's error page.
  if (status >= 500 && status !== 503) return undefined;
  return [status, { error: type, ...(code !== undefined && { code }) }];
}

/** The tools that the members of an Auth share. */
export interface KitTools {
  readonly open: OpenVisit;
  /**
   * Resolves to what Kit knows of the application, and records the event for a configuration that is a function of it.
   */
  enter(event: KitEvent): Promise<KitRuntime>;
}

/** Creates the members for events of Kit. */
export function extendForKit<Failure>(auth: Auth, { open, enter }: KitTools): KitMembers<Failure> {
  const { handle: handleRoutes, requireSession, requireFreshSession, signIn, signOut } = auth;
  const { authorize, getSession } = auth;
  const actions = { signIn, signOut };

  const toRequestSource = async (given: RequestSource | KitEvent): Promise<RequestSource> => {
    if (!isKitEvent(given)) return given;
    await enter(given);
    return open(given).source;
  };
  const leaveForSignIn = async (event: KitEvent, runtime: KitRuntime, error?: string) => {
    const url = await getSignInUrl(actions, open(event).source, getPage(event), error);
    return runtime.redirect(isSafe(event) ? 302 : 303, url);
  };

  const handle: KitHandle = async ({ event, resolve }) => {
    const { isBuilding } = await enter(event);
    const read = async () => (isBuilding ? null : getSession(open(event).source));
    Object.assign(event.locals, { auth: read, getSession: read });
    // A page that is rendered for all visitors has no session, and the build has no secret.
    if (isBuilding) return resolve(event);
    const { connection, finish } = open(event);
    const response = await handleRoutes(event.request, connection);
    if (!response) return finish(await resolve(event));
    keepUnshared(response.headers);
    return response;
  };

  const guard: KitHandle = async ({ event, resolve }) => {
    const runtime = await enter(event);
    if (runtime.isBuilding) return resolve(event);
    const response = await authorize(open(event).source);
    if (!response) return resolve(event);
    const location = response.headers.get("location");
    if (location !== null) return runtime.redirect(isSafe(event) ? 302 : 303, location);
    if (response.status === 401 && followsRedirect(event)) return leaveForSignIn(event, runtime);
    return response;
  };

  const signInOnEvent: KitMembers<Failure>["signIn"] = async (event, provider, options, params) => {
    const runtime = await enter(event);
    const { source } = open(event);
    if (provider !== undefined || options !== undefined) {
      return redirectTo(runtime, await startSignIn(actions, source, provider, options, params));
    }
    const form = await readForm(event);
    const target = await startSignIn(actions, source, form.provider, form.options, form.params);
    return redirectTo(runtime, target);
  };
  const signOutOnEvent: KitMembers<Failure>["signOut"] = async (event, options) => {
    const runtime = await enter(event);
    const given = options ?? (await readForm(event)).options;
    return redirectTo(runtime, await startSignOut(actions, open(event).source, given));
  };

  const failing =
    <Rest extends unknown[]>(
      action: (event: KitEvent, ...rest: Rest) => Promise<KitActionResult>,
    ): ((event: KitEvent, ...rest: Rest) => Promise<KitActionResult | Failure>) =>
    async (event, ...rest) => {
      try {
        return await action(event, ...rest);
      } catch (error) {
        const failure = describeFailure(error);
        if (!failure) throw error;
        return (await enter(event)).fail(...failure) as Failure;
      }
    };

  type Require = Auth["requireSession"];
  const requiring = (fn: Require) => async (given: RequestSource | KitEvent) => {
    if (!isKitEvent(given)) return fn(given);
    const runtime = await enter(given);
    if (runtime.isBuilding) {
      throw new Error(`${given.url.pathname} requires a session, so it cannot be prerendered.`);
    }
    try {
      return await fn(open(given).source);
    } catch (error) {
      // Faults that the developer must fix are not messages for visitors. Kit logs them without showing the text.
      if (!(error instanceof AuthError) || !error.public || error.status >= 500) throw error;
      if (error.status === 401 && followsRedirect(given))
        return leaveForSignIn(given, runtime, error.type);
      return runtime.refuse(error.status, error.message, error.type);
    }
  };

  type Input = Parameters<KitHandle>[0] | Request | LazyRequest;
  const members: OwnMembers<Failure> = {
    toRequestSource,
    // Modules export this function instead of the whole Auth. The command line finds the Auth through it.
    handle: Object.defineProperty(
      ((given: Input, connection?: Connection) =>
        "resolve" in given ? handle(given) : handleRoutes(given, connection)) as KitHandle,
      AUTH,
      { value: auth },
    ),
    guard,
    signIn: ((given: KitEvent | RequestSource, ...rest: []) =>
      isKitEvent(given)
        ? signInOnEvent(given, ...rest)
        : signIn(given, ...rest)) as KitSignIn<KitActionResult>,
    signOut: ((given: KitEvent | RequestSource, ...rest: []) =>
      isKitEvent(given)
        ? signOutOnEvent(given, ...rest)
        : signOut(given, ...rest)) as KitSignOut<KitActionResult>,
    actions: { signIn: failing(signInOnEvent), signOut: failing(signOutOnEvent) },
    requireSession: requiring(requireSession),
    requireFreshSession: requiring(requireFreshSession),
  };
  // The Auth has the server functions, and converts their sources with `toRequestSource`.
  return members as OwnMembers<Failure> & KitFunctions;
}

/** A binding, and what its preset needs from it. */
export interface KitBinding<Failure> {
  readonly binding: Binding<KitMembers<Failure>>;
  /** Returns the parts of the preset that depend on `paths.base`, which is known from the first event, before boot. */
  getPresetParts(): Required<Pick<Preset, "defaults" | "plugins">>;
  /**
   * Returns the event of a request.
   * @throws MissingRequest for a request without an event.
   */
  find(request: Request): KitEvent;
}

/** Creates the binding for SvelteKit, versions 2 and 3, whose modules are imported with the first event. */
export function createKitBinding<Failure>(load: LoadRuntime = loadRuntime): KitBinding<Failure> {
  const events = new WeakMap<Request, KitEvent>();
  const open = createVisits();
  let loading: Promise<KitRuntime> | undefined;
  let runtime: KitRuntime | undefined;
  const enter = async (event: KitEvent): Promise<KitRuntime> => {
    loading ??= load(event.url);
    runtime = await loading;
    if (runtime.isBuilding) return runtime;
    const { source } = open(event);
    events.set(event.request, event);
    events.set("req" in source ? source.req : source, event);
    return runtime;
  };
  return {
    find(request) {
      const event = events.get(request);
      if (event) return event;
      throw new MissingRequest(
        "The configuration is a function of SvelteKit's event, but this request has none. Pass the event to server functions, and " +
          "requests to `handle`. For the command line and tests, export an Auth with an object.",
      );
    },
    getPresetParts() {
      const { base } = runtime ?? {};
      return {
        // Kit serves the start page with a trailing slash.
        plugins: base ? [homePlugin(`${base}/`)] : [],
        defaults: base === undefined ? {} : { basePath: `${base}/auth` },
      };
    },
    binding: {
      name: "bindings/sveltekit",
      get development() {
        return runtime?.isDevelopment === true;
      },
      get developmentSecret() {
        return runtime?.developmentSecret;
      },
      env: () => runtime?.env ?? processEnv(),
      extend: (auth) => extendForKit<Failure>(auth, { open, enter }),
    },
  };
}
