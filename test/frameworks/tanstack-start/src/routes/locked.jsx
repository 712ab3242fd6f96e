import { createFileRoute } from "@tanstack/react-router";
import { requireSession } from "../session.js";

export const Route = createFileRoute("/locked")({
  loader: ({ location }) => requireSession({ data: location.href }),
  component: function Locked() {
    const { user } = Route.useLoaderData();
    return <p>the locked page of {user.name}</p>;
  },
});
