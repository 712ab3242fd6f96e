// A layer with the configuration: `server/auth.ts`.
export default defineNuxtConfig({});
