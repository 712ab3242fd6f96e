"use client";

import { useSession } from "next-auth/react";

export function ClientExample() {
  const { data: session, status } = useSession();
  return (
    <p id="client">
      {status} {session?.user?.name} {session?.user?.role}
    </p>
  );
}
