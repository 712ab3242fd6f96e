export { buildClientMetadata } from "./client.ts";
export { finish } from "./finish.ts";
export { start } from "./start.ts";
