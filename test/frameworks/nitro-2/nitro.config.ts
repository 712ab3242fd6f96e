import { defineNitroConfig } from "nitropack/config";

const routeRules = {
  "/locked/**": { auth: true },
  "/locked/open": { auth: false },
  "/cached": { swr: 60 },
};

export default defineNitroConfig({
  compatibilityDate: "2026-01-01",
  modules: ["keyhook/nitro"],
  routeRules,
});
