import { PluginError } from "../errors/errors.ts";

/**
 * Checks that plugins may still register. `late` describes what came too late: `The hook jwt was intercepted after
 * setup`.
 * @throws PluginError
 */
export function expectOpen(isClosed: boolean, late: string): void {
  if (isClosed) throw new PluginError(`${late}. Do it in a plugin's \`setup\`.`);
}

/**
 * Checks the second argument of a method that registers a function.
 * @throws PluginError
 */
export function expectFunction(value: unknown, what: string): void {
  if (typeof value === "function") return;
  throw new PluginError(`${what} is not a function. Pass one as the second argument.`);
}
