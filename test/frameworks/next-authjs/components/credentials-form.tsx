import { AuthError } from "next-auth";
import { redirect } from "next/navigation";
import { signIn } from "@/auth";

export function CredentialsForm() {
  return (
    <form
      id="credentials"
      action={async (formData) => {
        "use server";
        try {
          await signIn("credentials", formData);
        } catch (error) {
          if (error instanceof AuthError) return redirect(`/?error=${error.type}`);
          throw error;
        }
      }}
    >
      <input name="username" />
      <input name="password" type="password" />
      <input name="redirectTo" type="hidden" value="/dashboard" />
      <button>Sign in</button>
    </form>
  );
}
