import { createAsync, useSearchParams, useSubmission } from "@solidjs/router";
import { getCsrfToken, signIn } from "../login.js";

export default function Login() {
  const [{ callbackUrl }] = useSearchParams();
  const csrfToken = createAsync(() => getCsrfToken());
  const submission = useSubmission(signIn);
  return (
    <form action={signIn} method="post">
      <p>{submission.result?.error}</p>
      <input type="hidden" name="csrfToken" value={csrfToken() ?? ""} />
      <input type="hidden" name="redirectTo" value={callbackUrl ?? "/"} />
      <input name="username" required />
      <input name="password" type="password" required />
      <button>Sign in</button>
    </form>
  );
}
