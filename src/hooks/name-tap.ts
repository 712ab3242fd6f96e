import type { TapInfo } from "../types/hook.ts";

/** Returns the name of a tap in messages: `The tap "a" (plugin shop) of the hook jwt`. */
export function nameTap({ name, plugin }: Omit<TapInfo, "stage">, hook: string): string {
  return `The tap "${name}" (plugin ${plugin}) of the hook ${hook}`;
}
