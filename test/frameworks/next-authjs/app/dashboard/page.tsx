import { auth, unstable_update } from "@/auth";
import { ClientExample } from "@/components/client-example";

export default async function Dashboard() {
  const session = await auth();
  return (
    <main>
      <h1>Dashboard of {session?.user?.name}</h1>
      <ClientExample />
      <form
        action={async (formData: FormData) => {
          "use server";
          await unstable_update({ user: { name: formData.get("name") as string } });
        }}
      >
        <input name="name" />
        <button>Update</button>
      </form>
    </main>
  );
}
