import type { NextConfig } from "next";

export default {
  basePath: "/admin",
  cacheComponents: true,
  partialPrefetching: true,
} satisfies NextConfig;
