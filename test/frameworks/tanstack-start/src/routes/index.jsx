import { createFileRoute, Link } from "@tanstack/react-router";
import { getSession } from "../session.js";

export const Route = createFileRoute("/")({
  loader: () => getSession(),
  component: function Home() {
    const session = Route.useLoaderData();
    return (
      <>
        <p>{session ? `Signed in as ${session.user.name}` : "Signed out"}</p>
        <Link to="/locked">locked</Link>
      </>
    );
  },
});
