import type { NextConfig } from "next";

export default {
  // As applications let caches store all responses. Here only if a request asks for it.
  headers: async () => [
    {
      source: "/:path*",
      has: [{ type: "header", key: "x-stored" }],
      headers: [{ key: "Cache-Control", value: "public, s-maxage=600" }],
    },
  ],
} satisfies NextConfig;
