import { createFileRoute } from "@tanstack/react-router";

export const Route = createFileRoute("/api/me")({
  server: {
    handlers: {
      GET: async ({ context }) => {
        const session = await context.getSession();
        if (session) return Response.json(session.user);
        return Response.json({ error: "SessionRequired" }, { status: 401 });
      },
    },
  },
});
