import { A, createAsync } from "@solidjs/router";
import { getSession } from "../session.js";

export default function Home() {
  const session = createAsync(() => getSession());
  return (
    <>
      <p>{session() ? `Signed in as ${session().user.name}` : "Signed out"}</p>
      <A href="/locked">locked</A>
    </>
  );
}
