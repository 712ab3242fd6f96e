export type * from "./types/models.ts";
export type * from "./types/provider.ts";
export type * from "./types/adapter.ts";
export type * from "./types/page.ts";
export type * from "./types/config.ts";
export type * from "./types/kernel.ts";
