"use client";

import type { Session } from "keyhook/next";
import { SessionProvider, useSession } from "keyhook/next-react";

export function Provider(props: { session: Session | null; children: React.ReactNode }) {
  return <SessionProvider session={props.session}>{props.children}</SessionProvider>;
}

export function State() {
  const { data } = useSession();
  return <p id="state">{data?.user?.name ?? "stranger"}</p>;
}
