import { auth } from "../../auth";
import { rename } from "../actions";

export default async function Locked() {
  const session = await auth();
  return (
    <main>
      <p id="locked">the locked page of {session?.user?.name}</p>
      <form action={rename}>
        <input name="name" />
        <button>Rename</button>
      </form>
    </main>
  );
}
