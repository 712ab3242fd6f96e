import {
  getCsrfToken,
  getProviders,
  getSession,
  SessionProvider,
  signIn,
  signOut,
  useSession,
} from "next-auth/react";
import { signIn as signInByKey } from "next-auth/webauthn";
import { createElement as h, Fragment, useState } from "react";
import { createRoot } from "react-dom/client";

const basePath = new URLSearchParams(location.search).get("base") ?? undefined;
const ada = { username: "ada", password: "lovelace" };

function Who() {
  const { data, status, update } = useSession({ required: location.pathname === "/secret" });
  const [result, setResult] = useState("");
  const button = (id: string, act: () => Promise<unknown>) => {
    const onClick = async () => {
      setResult("");
      setResult(JSON.stringify(await act()));
    };
    return h("button", { id, onClick }, id);
  };
  return h(
    Fragment,
    null,
    h("p", { id: "who" }, status === "authenticated" ? data?.user?.name : status),
    button("providers", getProviders),
    button("csrf", getCsrfToken),
    button("read", () => getSession()),
    button("wrong", () => signIn("credentials", { ...ada, password: "byron", redirect: false })),
    button("in", () => signIn("credentials", { ...ada, redirect: false })),
    button("in-leaving", async () => signIn("credentials", { ...ada, redirectTo: "/home" })),
    button("idp", async () => signIn("idp", { redirectTo: "/home" }, { login_hint: "ada" })),
    button("key", () => signInByKey("passkey", { redirect: false })),
    button("key-leaving", async () => signInByKey("passkey", { redirectTo: "/home" })),
    button("key-new", () =>
      signInByKey("passkey", { action: "register", email: "ada@example.com", redirect: false }),
    ),
    button("key-another", () => signInByKey("passkey", { action: "register", redirect: false })),
    button("update", () => update({ name: "Countess" })),
    button("out", () => signOut({ redirect: false })),
    button("out-leaving", async () => signOut({ redirectTo: "/bye" })),
    h("output", { id: "result" }, result),
  );
}

createRoot(document.querySelector("#app")!).render(
  h(SessionProvider, { basePath, children: h(Who) }),
);
