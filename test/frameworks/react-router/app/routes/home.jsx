import { Link } from "react-router";
import { getSession } from "../auth-middleware.server.js";

export const loader = (args) => getSession(args);

export default function Home({ loaderData }) {
  return (
    <>
      <p>{loaderData ? `Signed in as ${loaderData.user.name}` : "Signed out"}</p>
      <Link to="/locked">locked</Link>
    </>
  );
}
