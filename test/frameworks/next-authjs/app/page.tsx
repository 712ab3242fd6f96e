import { auth } from "@/auth";
import { SignIn, SignOut } from "@/components/auth-components";
import { ClientExample } from "@/components/client-example";
import { CredentialsForm } from "@/components/credentials-form";

export default async function Page() {
  const session = await auth();
  return (
    <main>
      <p id="home">{session?.user?.name ?? "stranger"}</p>
      <ClientExample />
      <SignIn id="sign-in" />
      <SignOut id="sign-out" />
      <CredentialsForm />
    </main>
  );
}
