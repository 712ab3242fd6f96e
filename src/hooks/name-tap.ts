import type { TapInfo } from "../types/hook.ts";

/** Returns a tap for a message: `The tap "a" (plugin shop) of the hook jwt`. */
export function nameTap({ name, plugin }: Omit<TapInfo, "stage">, hook: string): string {
  return `The tap "${name}" (plugin ${plugin}) of the hook ${hook}`;
}
