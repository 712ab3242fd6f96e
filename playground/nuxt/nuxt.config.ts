export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  modules: ["keyhook/nuxt"],
  css: ["~/assets/style.css"],
  // The server enforces this for the page and the API.
  routeRules: {
    "/secret": { auth: true },
    "/api/secret": { auth: true },
  },
  app: { head: { title: "Keyhook on Nuxt", htmlAttrs: { lang: "en" } } },
  telemetry: false,
});
