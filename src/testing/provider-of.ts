import type { ProviderBase, ProviderTypes } from "../types/provider.ts";

/** The provider type that a flow has added to `ProviderTypes`, or what all have in common. */
export type ProviderOf<Type extends string> =
  ProviderTypes extends Record<Type, infer P extends ProviderBase> ? P : ProviderBase;
