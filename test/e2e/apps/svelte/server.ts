import { render as renderSvelte } from "svelte/server";
import type { Session } from "../../../../plugins/frameworks/svelte.ts";
import App from "./app.svelte";

export const render = (session: Session | null | undefined, secret: boolean) =>
  renderSvelte(App as never, { props: { session, secret } as never }).body;
