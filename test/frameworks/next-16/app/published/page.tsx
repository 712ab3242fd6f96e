"use client";

import { SessionProvider, signIn, signOut, useSession } from "next-auth/react";

function Visitor() {
  const { data, status, update } = useSession();
  const ada = { username: "ada", password: "lovelace", redirect: false } as const;
  return (
    <main>
      <p id="published">
        {status} {data?.user?.name}
      </p>
      <button id="in" onClick={() => signIn("credentials", ada)}>
        Sign in
      </button>
      <button id="update" onClick={() => update({ name: "Countess" })}>
        Update
      </button>
      <button id="out" onClick={() => signOut({ redirect: false })}>
        Sign out
      </button>
    </main>
  );
}

export default function Published() {
  return (
    <SessionProvider>
      <Visitor />
    </SessionProvider>
  );
}
