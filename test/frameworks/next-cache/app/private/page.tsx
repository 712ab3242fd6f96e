import { headers } from "next/headers";
import { Suspense } from "react";
import { auth } from "../../auth";

async function Name() {
  "use cache: private";
  const session = await auth();
  return <p id="private">{session?.user?.name ?? "stranger"}</p>;
}

async function Passed() {
  return <p id="passed">{(await headers()).get("x-proxy")}</p>;
}

export default function Private() {
  return (
    <Suspense fallback={<p>One moment</p>}>
      <Name />
      <Passed />
    </Suspense>
  );
}
