import type { ProviderBase, ProviderTypes } from "../types/provider.ts";

/** The provider type that a flow has added to `ProviderTypes`, or the fields that all types share. */
export type ProviderOf<Type extends string> =
  ProviderTypes extends Record<Type, infer P extends ProviderBase> ? P : ProviderBase;
