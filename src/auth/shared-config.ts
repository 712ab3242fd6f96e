import { AuthError, PluginError } from "../errors/errors.ts";
import { createLogger } from "../kernel/logger.ts";
import { getBuiltin } from "../platform/builtin.ts";
import { findMakeCall } from "../platform/made-by.ts";
import { parseUrl } from "../platform/parse-url.ts";
import type { AuthConfig } from "../types/config.ts";
import { createServerCheck } from "./check-servers.ts";
import { createConfigLoader } from "./load-config.ts";
import type { Sharing, SharedConfig } from "./sharing.ts";

/** The request that an asynchronous operation belongs to. */
export interface Scope {
  /** The shared form of the request's configuration. */
  readonly shared: object;
  readonly config: AuthConfig;
  /** Whether a kernel is booting: what a function then returns serves all requests. */
  isBooting: boolean;
}

/** Follows a value through asynchronous operations, as `AsyncLocalStorage` of Node does. */
export interface ScopeStorage {
  run<T>(scope: Scope, work: () => T): T;
  getStore(): Scope | undefined;
}

type AnyFunction = (...args: unknown[]) => unknown;
type Fields = Record<PropertyKey, unknown>;
type Path = readonly PropertyKey[];

interface FunctionShape {
  readonly kind: "function";
  readonly value: AnyFunction;
  /** Whether the function of each request's own configuration is called. */
  readonly isOwn: boolean;
  /** Whether boot has called the function: its result serves all requests. */
  isFixed: boolean;
}

// Describes the values that count as equal.
type Shape =
  | { readonly kind: "same"; readonly value: unknown }
  | FunctionShape
  | { readonly kind: "fields"; readonly fields: readonly (readonly [PropertyKey, Shape])[] }
  // A plugin made by a known call.
  | { readonly kind: "made"; readonly call: Shape };

/**
 * Maximum number of a function's configurations whose kernels are kept, at about 150 kB each. The least recently used
 * are dropped.
 */
const MAX_CONFIGS = 256;
/** Maximum number of kept configurations with equal data. More occur only if each request creates its own instances. */
const MAX_ALIKE = 32;
const MAX_HOST_LENGTH = 253;
/** Number of characters of a text that are hashed. */
const MAX_HASHED = 256;
// A configuration has about a hundred values, but one that an application passes in may lead to many thousands.
const MAX_VALUES = 5000;
const MAX_DEPTH = 16;
// By a path's first key, the length of the path up to which functions are usually written inline in the configuration.
const CALLBACK_DEPTHS: ReadonlyMap<unknown, number> = new Map([
  ["callbacks", 2],
  ["events", 2],
  ["logger", 2],
  ["adapter", 2],
  ["jwt", 2],
  ["session", 2],
  ["providers", 4],
]);

function isPlain(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  const proto = Object.getPrototypeOf(value) as unknown;
  return proto === Object.prototype || proto === Array.prototype || proto === null;
}

function isClass(value: object): boolean {
  if (!Object.hasOwn(value, "prototype")) return false;
  return Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
}

// A class, or a function with fields, is more than the result of a call.
function isReplaceable(value: unknown): value is AnyFunction {
  if (typeof value !== "function") return false;
  return !isClass(value) && !listFields(value as never).length;
}

function isCallback(path: Path): boolean {
  return path.length <= (CALLBACK_DEPTHS.get(path[0]) ?? 0);
}

function listFields(value: Fields): PropertyKey[] {
  const names = Object.keys(value);
  const symbols = Object.getOwnPropertySymbols(value);
  return symbols.length ? [...names, ...symbols] : names;
}

// With `isWide`, functions may differ even if they are not called by their path yet.
function isEqual(shape: Shape, value: unknown, isWide = false): boolean {
  switch (shape.kind) {
    case "same":
      return Object.is(shape.value, value);
    case "function": {
      const mayDiffer = !shape.isFixed && (shape.isOwn || isWide);
      return shape.value === value || (mayDiffer && isReplaceable(value));
    }
    case "made":
      return isEqual(shape.call, findMakeCall(value), isWide);
    default:
      return (
        isPlain(value) &&
        !findMakeCall(value) &&
        listFields(value).length === shape.fields.length &&
        shape.fields.every(
          ([key, inner]) => Object.hasOwn(value, key) && isEqual(inner, value[key], isWide),
        )
      );
  }
}

// A plugin made by a known call is represented by the list of its function and arguments.
function toHolder(value: unknown): Fields {
  return (findMakeCall(value) ?? value) as Fields;
}

const addText = (hash: number, text: string): number => {
  let sum = hash;
  for (let at = 0; at < text.length && at < MAX_HASHED; at++) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 16_777_619);
  }
  return sum;
};

// Returns a hash that equal configurations share, whatever the order of their fields. It selects the configurations
// that may be equal. Functions and instances do not count.
function hashData(config: AuthConfig): number {
  let values = 0;
  const hash = (value: unknown, path: number, depth: number): number => {
    const holder = toHolder(value);
    if (isPlain(holder)) {
      if (depth === MAX_DEPTH || (values += 1) > MAX_VALUES) return path;
      return listFields(holder).reduce<number>(
        (sum, key) => (sum + hash(holder[key], addText(path, String(key)), depth + 1)) | 0,
        path,
      );
    }
    return Object(value) === value ? path : addText(path, String(value));
  };
  return hash(config, 0, 0);
}

// Returns the object that contains the last key of a path.
function findHolder(config: unknown, path: Path): Fields {
  let holder = toHolder(config);
  for (const key of path.slice(0, -1)) holder = toHolder(holder[key]);
  return holder;
}

function findShape(shape: Shape | undefined, key: PropertyKey): Shape | undefined {
  if (shape?.kind === "made") return findShape(shape.call, key);
  if (shape?.kind !== "fields") return undefined;
  return shape.fields.find(([name]) => name === key)?.[1];
}

/**
 * Creates the shared form of a configuration that a function returned. A function in it may use the request that it was
 * made for, so it is never called for another request. Instead, the function at the same path in the current request's
 * configuration is called. Without a storage, which tells the current request, all functions must be the same.
 * @param base The shape of an equal configuration whose functions differ.
 */
function shareConfig(
  source: AuthConfig,
  storage: ScopeStorage | undefined,
  base?: Shape,
): SharedConfig {
  let values = 0;

  const callOwn = (shape: FunctionShape, path: Path, copy: object): AnyFunction => {
    const key = path.at(-1) as PropertyKey;
    const isLogger = path[0] === "logger";
    const call = function (this: unknown, ...args: unknown[]): unknown {
      const scope = storage?.getStore();
      const isRequest = scope?.shared === shared;
      // The return value of a logger affects nothing.
      if (isRequest && scope.isBooting) shape.isFixed ||= !isLogger;
      if (!isRequest && !isLogger) {
        throw new PluginError(
          `\`${path.map(String).join(".")}\` was called outside of a request. The configuration is a function of the ` +
            "request: pass an object to createAuth(), or call it in the request.",
        );
      }
      const holder = findHolder(isRequest ? scope.config : source, path);
      return Reflect.apply(holder[key] as AnyFunction, this === copy ? holder : this, args);
    };
    const { name, length } = shape.value;
    return Object.defineProperties(call, { name: { value: name }, length: { value: length } });
  };

  // Returns the shape to compare with and the value to boot with: the value itself, unless it contains functions that
  // are called by their path. `holder` is the copy that receives it.
  const read = (
    value: unknown,
    path: Path,
    holder: object,
    before: Shape | undefined,
  ): [shape: Shape, copy: unknown] => {
    values++;
    if (isReplaceable(value)) {
      const differs = before?.kind === "function" && (before.isOwn || before.value !== value);
      const isOwn = storage !== undefined && (differs || isCallback(path));
      const shape: FunctionShape = { kind: "function", value, isOwn, isFixed: false };
      return [shape, isOwn ? callOwn(shape, path, holder) : value];
    }
    const call = findMakeCall(value);
    if (call) {
      const [shape, copy] = readFields(call as never, path, before);
      const [make, ...args] = copy as [AnyFunction, ...unknown[]];
      const made = copy === (call as unknown) ? value : shared.boot(() => make(...args));
      return [{ kind: "made", call: shape }, made];
    }
    const isData = isPlain(value) && path.length < MAX_DEPTH && values < MAX_VALUES;
    return isData ? readFields(value, path, before) : [{ kind: "same", value }, value];
  };

  const readFields = (
    value: Fields,
    path: Path,
    before: Shape | undefined,
  ): [shape: Shape, copy: unknown] => {
    const copy = (Array.isArray(value) ? [] : {}) as Fields;
    let isCopied = false;
    const fields = listFields(value).map((key): readonly [PropertyKey, Shape] => {
      const given = value[key];
      const [shape, inner] = read(given, [...path, key], copy, findShape(before, key));
      // Assigning to `__proto__` would set the prototype.
      const field = { value: inner, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(copy, key, field);
      isCopied ||= !Object.is(inner, given);
      return [key, shape];
    });
    return [{ kind: "fields", fields }, isCopied ? copy : value];
  };

  const shared: { -readonly [K in keyof SharedConfig]: SharedConfig[K] } = {
    config: source,
    matches: (config) => config === source || isEqual(shape, config),
    widen: (config) =>
      storage && isEqual(shape, config, true) ? shareConfig(config, storage, shape) : undefined,
    run: (config, work) =>
      storage ? storage.run({ shared, config, isBooting: false }, work) : work(),
    boot(work) {
      if (!storage) return work();
      const scope = { shared, config: source, isBooting: true };
      const stop = () => void (scope.isBooting = false);
      const result = storage.run(scope, work);
      // A timer that the boot started is not part of it.
      if (result instanceof Promise) result.then(stop, stop);
      else stop();
      return result;
    },
  };
  const [shape, copy] = readFields(source as Fields, [], base);
  shared.config = copy as AuthConfig;
  return shared;
}

/** A shared form, and the hash of the data of its configurations. */
interface Known {
  readonly hash: number;
  /** Number of kernels that were booted for this data, one after the other. */
  readonly boots: number;
  readonly shared: SharedConfig;
}

// Edge runtimes have `AsyncLocalStorage` as a global, if at all.
function createScopeStorage(): ScopeStorage | undefined {
  const { AsyncLocalStorage } = globalThis as { AsyncLocalStorage?: new () => ScopeStorage };
  const Storage = getBuiltin("node:async_hooks")?.AsyncLocalStorage ?? AsyncLocalStorage;
  return Storage && (new Storage() as ScopeStorage);
}

/** Creates the registry of the configurations that a function returns, and of their shared forms. */
export function createSharing(): Sharing {
  const storage = createScopeStorage();
  // The most recently used comes first.
  let recent: readonly Known[] = [];
  const warned = new Set<string>();

  const warn = ({ logger, debug }: AuthConfig, code: string, text: string): void => {
    if (warned.has(code)) return;
    warned.add(code);
    createLogger(logger, debug).warn(code, text);
  };

  const add = (config: AuthConfig, hash: number): SharedConfig => {
    const alike = recent.filter((one) => one.hash === hash);
    const boots = 1 + Math.max(0, ...alike.map((one) => one.boots));
    if (boots > MAX_ALIKE) {
      warn(
        config,
        "config-differs",
        "The configuration function keeps returning the same data with new instances or plugins, and each of " +
          "these configurations boots a kernel. Create clients, plugins and other shared objects outside of the function, " +
          "or pass the function that creates a plugin to definePlugin().",
      );
    }
    let shared: SharedConfig | undefined;
    // A form that also serves this configuration replaces the one that it was derived from.
    const base = alike.find((one) => (shared = one.shared.widen(config)));
    shared ??= shareConfig(config, storage);
    const oldest = base ?? (alike.length < MAX_ALIKE ? recent[MAX_CONFIGS - 1] : alike.at(-1));
    if (oldest !== base && alike.length < MAX_ALIKE) {
      warn(
        config,
        "config-many",
        `The configuration function has returned more than ${MAX_CONFIGS} configurations with different data. Only the kernels ` +
          "used last are kept; any other boots again on its next use, which takes some milliseconds. Send each tenant's " +
          "requests to the same process, and leave data of a single request out of the configuration.",
      );
    }
    recent = [{ hash, boots, shared }, ...recent.filter((one) => one !== oldest)];
    return shared;
  };

  return {
    createLoader: createConfigLoader,
    check: createServerCheck(),
    locate(fault, request) {
      const host = request && parseUrl(request.url)?.host.slice(0, MAX_HOST_LENGTH);
      if (host && fault instanceof AuthError) {
        Object.assign(fault, { cause: { ...fault.cause, host } });
      }
    },
    find(config) {
      const [latest] = recent;
      if (latest?.shared.matches(config)) return latest.shared;
      const hash = hashData(config);
      const found = recent.find((one) => one.hash === hash && one.shared.matches(config));
      if (!found) return add(config, hash);
      recent = [found, ...recent.filter((one) => one !== found)];
      return found.shared;
    },
  };
}
