import { createElement as h, Fragment, useState } from "react";
import {
  SessionProvider,
  signIn,
  signOut,
  useSession,
} from "../../../../plugins/frameworks/react.ts";
import type { Session } from "../../../../plugins/frameworks/react.ts";
import { ADA, getName, WRONG } from "../page.ts";

function Who() {
  const { data, status, error } = useSession();
  return h(
    Fragment,
    null,
    h("p", { id: "who" }, getName(status, data)),
    h("p", { id: "error" }, error ? String(error.status) : ""),
  );
}

function Secret() {
  const { status } = useSession({ required: true });
  return h("p", { id: "who" }, status);
}

function Buttons() {
  const [result, setResult] = useState("");
  const { update } = useSession();
  const button = (id: string, act: () => Promise<unknown>) =>
    h("button", { id, onClick: () => void act().then((it) => setResult(JSON.stringify(it))) }, id);
  return h(
    Fragment,
    null,
    button("in", () => signIn("credentials", ADA)),
    button("wrong", () => signIn("credentials", WRONG)),
    button("out", () => signOut({ redirect: false })),
    button("update", () => update({ name: "Countess" })),
    h("output", { id: "result" }, result),
  );
}

/** Renders again with a new session, as a server component would. */
function Renewed({ renew }: { renew: (session: Session | null) => void }) {
  const countess = { user: { name: "Rendered" }, expires: "2100-01-01T00:00:00.000Z" };
  const button = (id: string, session: Session | null) =>
    h("button", { id, onClick: () => renew(session) }, id);
  return h(Fragment, null, button("rendered", countess), button("rendered-nobody", null));
}

export function App({ session, secret }: { session?: Session | null; secret: boolean }) {
  const [given, renew] = useState(session);
  return h(
    SessionProvider,
    given === undefined ? {} : { session: given },
    h(secret ? Secret : Who),
    h(Buttons),
    h(Renewed, { renew }),
  );
}
