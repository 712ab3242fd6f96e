import { Suspense } from "react";
import { auth } from "../auth";

async function Name() {
  const session = await auth();
  return <p id="home">{session?.user?.name ?? "stranger"}</p>;
}

export default function Home() {
  return (
    <main>
      <h1>The shell</h1>
      <Suspense fallback={<p>One moment</p>}>
        <Name />
      </Suspense>
    </main>
  );
}
