import { createFileRoute } from "@tanstack/react-router";

export const Route = createFileRoute("/api/twice")({
  server: {
    handlers: {
      GET: async ({ context }) =>
        Response.json([await context.getSession(), await context.getSession()]),
    },
  },
});
