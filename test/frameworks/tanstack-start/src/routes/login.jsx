import { createFileRoute } from "@tanstack/react-router";
import { useServerFn } from "@tanstack/react-start";
import { useState } from "react";
import { getCsrfToken, signIn } from "../login.js";

export const Route = createFileRoute("/login")({
  validateSearch: ({ callbackUrl = "/" }) => ({ callbackUrl }),
  loader: () => getCsrfToken(),
  component: function Login() {
    const { callbackUrl } = Route.useSearch();
    const send = useServerFn(signIn);
    const [error, setError] = useState("");
    const onSubmit = (event) => {
      event.preventDefault();
      const data = new FormData(event.currentTarget);
      void send({ data }).then((result) => setError(result?.error));
    };
    return (
      <form onSubmit={onSubmit}>
        <p>{error}</p>
        <input type="hidden" name="csrfToken" defaultValue={Route.useLoaderData()} />
        <input type="hidden" name="redirectTo" defaultValue={callbackUrl} />
        <input name="username" required />
        <input name="password" type="password" required />
        <button>Sign in</button>
      </form>
    );
  },
});
