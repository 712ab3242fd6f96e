export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  telemetry: false,
  devtools: { disableAuthorization: true },
  modules: ["keyhook/nuxt"],
  routeRules: {
    "/locked/**": { auth: true },
    "/api/private/**": { auth: true },
    "/cached": { swr: 60 },
    "/static": { prerender: true },
    "/spa": { ssr: false },
  },
});
