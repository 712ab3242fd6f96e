import { describeMisspelled } from "../errors/did-you-mean.ts";
import { PluginError } from "../errors/errors.ts";
import { quoteNames } from "../platform/quote-names.ts";
import { nameType } from "../platform/type-name.ts";
import type { CookieDefaults } from "../types/cookie.ts";
import type { Flow, RegisteredRoute, Strategy } from "../types/kernel.ts";
import type { ErrorPageOptions } from "../types/public-error.ts";
import type { StoreRequirements } from "../types/store.ts";
import { nameOwner } from "./owners.ts";

type Fields<T> = Readonly<Record<keyof T, true>>;

const ROUTE: Fields<RegisteredRoute> = {
  method: true,
  path: true,
  auth: true,
  writes: true,
  csrf: true,
  cookies: true,
  json: true,
  replaces: true,
  handler: true,
  plugin: true,
};
const FLOW: Fields<Flow> = {
  resolve: true,
  start: true,
  finish: true,
  identify: true,
  limits: true,
  limited: true,
  linked: true,
  completed: true,
  failed: true,
  methods: true,
  links: true,
  csrf: true,
  direct: true,
  ceremony: true,
  credential: true,
  form: true,
};
type OptionalOfStrategy = "needsStoredUser" | "endsWithin" | "authTime" | "key" | "isAmbiguous";
const STRATEGY: Fields<Omit<Strategy, OptionalOfStrategy>> = {
  create: true,
  read: true,
  update: true,
  current: true,
  destroy: true,
};
const COOKIE: Fields<CookieDefaults> = {
  name: true,
  prefix: true,
  maxAge: true,
  reservedSalts: true,
};
const ERROR: Fields<ErrorPageOptions> = { text: true, status: true, messages: true, message: true };
const STORE: Fields<StoreRequirements> = {
  atomic: true,
  durable: true,
  optional: true,
  validate: true,
  unreadable: true,
};

/** The fields of the parts that plugins register, by kind. */
const FIELDS: Readonly<
  Record<"route" | "flow" | "strategy" | "cookie" | "error" | "store", object>
> = {
  route: ROUTE,
  flow: FLOW,
  strategy: {
    ...STRATEGY,
    needsStoredUser: true,
    endsWithin: true,
    authTime: true,
    key: true,
    isAmbiguous: true,
  },
  cookie: COOKIE,
  error: ERROR,
  store: STORE,
};

/** A registered part: its kind, its name in messages, and the plugin. */
export interface Part {
  readonly kind: keyof typeof FIELDS;
  readonly name: string;
  readonly plugin: string;
}

function describe({ name, plugin }: Part): string {
  return `${name} of ${nameOwner(plugin)}`;
}

/**
 * Checks that a part is an object without misspelled fields.
 * @param example Completes the sentence "Pass ...".
 * @throws PluginError
 */
export function checkFields(value: unknown, part: Part, example: string): void {
  const type = nameType(value);
  if (type !== "an object") {
    throw new PluginError(`${describe(part)} is ${type}. Pass ${example}.`);
  }
  const hints = describeMisspelled(value as object, Object.keys(FIELDS[part.kind]));
  if (hints) throw new PluginError(describe(part) + hints);
}

/**
 * Checks that a flow can sign in.
 * @throws PluginError
 */
export function checkFlow(flow: Flow, type: string, plugin: string): void {
  const part: Part = { kind: "flow", name: `The flow "${type}"`, plugin };
  checkFields(flow, part, `its functions: addFlow("${type}", { start, finish })`);
  if (flow.start || flow.finish) return;
  throw new PluginError(`${describe(part)} has neither \`start\` nor \`finish\`. Add one.`);
}

/**
 * Checks that a strategy has every method.
 * @throws PluginError
 */
export function checkStrategy(strategy: Strategy, name: string, plugin: string): void {
  const part: Part = { kind: "strategy", name: `The strategy "${name}"`, plugin };
  const methods = Object.keys(STRATEGY) as (keyof typeof STRATEGY)[];
  checkFields(strategy, part, `its methods: ${methods.join(", ")}`);
  const missing = methods.filter((method) => typeof strategy[method] !== "function");
  if (!missing.length) return;
  throw new PluginError(`${describe(part)} has no ${quoteNames(missing)}. Add what is missing.`);
}

/**
 * Checks that a cookie has a name.
 * @throws PluginError
 */
export function checkCookie(cookie: CookieDefaults, key: string, plugin: string): void {
  const part: Part = { kind: "cookie", name: `The cookie "${key}"`, plugin };
  const example = `its name: addCookie("${key}", { name: "..." })`;
  checkFields(cookie, part, example);
  if (typeof cookie.name === "string" && cookie.name) return;
  throw new PluginError(`${describe(part)} has no \`name\`. Pass ${example}.`);
}
