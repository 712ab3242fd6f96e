import { auth } from "../auth";
import { enter, leave, rename } from "./actions";

export default async function Home() {
  const session = await auth();
  return (
    <main>
      <p id="home">{session?.user?.name ?? "stranger"}</p>
      <form id="enter" action={enter}>
        <input name="username" />
        <input name="password" type="password" />
        <button>Sign in</button>
      </form>
      <form id="rename" action={rename}>
        <button>Rename</button>
      </form>
      <form id="leave" action={leave}>
        <button>Sign out</button>
      </form>
    </main>
  );
}
