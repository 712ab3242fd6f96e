import { createAuth } from "../../../presets/sveltekit.ts";
import { AuthError } from "../../../src/errors.ts";
import { type Kind, loadLibraries, packages } from "./_libraries.ts";
import { createMapAdapter, createRows } from "./_map-adapter.ts";
import { showUrl, toShown, withoutRandom } from "./_shown.ts";

type Config = Record<string, unknown>;

/** The parts of a SvelteKit event that both bindings read. */
export interface KitEvent {
  request: Request;
  url: URL;
  locals: { auth?: () => Promise<unknown>; getSession?: () => Promise<unknown> };
  cookies: { set(name: string, value: string, options: object): void };
  getClientAddress(): string;
}

interface Members {
  handle(input: {
    event: KitEvent;
    resolve(event: KitEvent): Response | Promise<Response>;
  }): Promise<Response>;
  signIn(event: KitEvent): Promise<unknown>;
  signOut(event: KitEvent): Promise<unknown>;
}

/** A library's binding for SvelteKit. */
export interface KitKind {
  library: Kind;
  SvelteKitAuth(config: unknown): Members;
  AuthError: new () => Error;
}

/** Loads both bindings. The caller must mock the modules of SvelteKit. */
export async function loadKit(): Promise<KitKind[]> {
  const url = new URL("@auth/sveltekit/dist/index.js", packages).href;
  const theirs = (await import(/* @vite-ignore */ url)) as KitKind;
  const { authjs, keyhook } = await loadLibraries();
  const withoutFolder = { name: "stores/development", setup() {} };
  const own = (config: never) => createAuth(config).use(withoutFolder);
  return [
    { SvelteKitAuth: theirs.SvelteKitAuth, AuthError: theirs.AuthError, library: authjs },
    { SvelteKitAuth: own as never, AuthError, library: keyhook },
  ];
}

/** A case that both bindings for SvelteKit run. */
export interface KitRow {
  name: string;
  env?: Record<string, string>;
  base?: string;
  building?: boolean;
  config?: Config;
  /** Whether the configuration is a function. */
  source?: boolean;
  signedOut?: boolean;
  act(app: KitApp): Promise<object>;
}

/** An application of a row. */
export interface KitApp extends Members {
  event(path: string, init?: RequestInit): KitEvent;
  /** Shows what code returns or throws, with the cookies of the event. */
  show(event: KitEvent, run: () => unknown): Promise<object>;
}

const ORIGIN = "http://localhost:5173";
const NAME = "authjs.session-token";
const SECRET = "keyhook-test-secret-0123456789abcdef";

async function showResponse(response: Response): Promise<object> {
  const { status, headers } = response;
  const text = await response.text();
  const type = headers.get("content-type") ?? "";
  const isJson = type.startsWith("application/json") && text !== "";
  return {
    outcome: `${status} ${type.split(";")[0]}`,
    ...(headers.has("location") && { location: showUrl(headers.get("location"), ORIGIN) }),
    ...(isJson && { body: JSON.parse(withoutRandom(text)) as unknown }),
    ...(type.startsWith("text/plain") && { body: text }),
  };
}

function showThrown(error: unknown, { AuthError: Known }: KitKind): object {
  const { status, location, type, code } = error as Record<string, unknown>;
  if (typeof location === "string") return { redirects: showUrl(location, ORIGIN), status };
  const isKnown = error instanceof Known;
  return { throws: isKnown ? type : String(error), isKnown, ...(code !== undefined && { code }) };
}

/** Runs a row with one library. */
export async function runKit(kind: KitKind, row: KitRow): Promise<object> {
  const { library } = kind;
  const { config, source, signedOut = false } = row;
  const calls: string[] = [];
  const build = () => ({
    ...(!row.env?.AUTH_SECRET && { secret: SECRET }),
    trustHost: true,
    adapter: createMapAdapter(createRows()),
    session: { strategy: "jwt" },
    logger: { error() {}, warn() {}, debug() {} },
    providers: [
      library.credentials({
        credentials: { username: {}, password: { type: "password" } },
        authorize: async ({ username, password }: Record<string, unknown>) => {
          if (username === "bug") throw new Error("a bug");
          return password === "lovelace" ? { id: "1", name: "Ada" } : null;
        },
      }),
      library.github({ clientId: "client", clientSecret: "secret" }),
    ],
    ...config,
  });
  const given = source
    ? async ({ url }: KitEvent) => {
        calls.push(url.pathname);
        return build();
      }
    : build();
  const set = new Map<string, unknown>();
  const token = { sub: "1", name: "Ada", email: "ada@example.com" };
  const secret = row.env?.AUTH_SECRET ?? SECRET;
  const sealed = await library.encode({ token, secret, salt: NAME, maxAge: 30 * 86_400 });
  const app: KitApp = {
    ...kind.SvelteKitAuth(given),
    event(path, { headers, ...init } = {}) {
      const cookie = signedOut ? {} : { cookie: `${NAME}=${sealed}` };
      const request = new Request(ORIGIN + path, {
        ...init,
        headers: { host: "localhost:5173", ...cookie, ...(headers as object) },
      });
      return {
        request,
        url: new URL(request.url),
        locals: {},
        cookies: {
          set: (name, value, { expires: _, maxAge: __, ...options }: Record<string, unknown>) =>
            void set.set(name, { value: value && "<value>", ...options }),
        },
        getClientAddress: () => "203.0.113.7",
      };
    },
    async show(_event, run) {
      set.clear();
      const seen = await Promise.resolve()
        .then(run)
        .then(
          async (value) =>
            value instanceof Response ? showResponse(value) : { value: toShown(value) },
          (error: unknown) => showThrown(error, kind),
        );
      return { ...seen, cookies: Object.fromEntries(set) };
    },
  };
  return { ...(await row.act(app)), ...(calls.length && { calls }) };
}
