import { hydrate } from "svelte";
import { given, isSecret } from "../page.ts";
import App from "./app.svelte";

hydrate(App, {
  target: document.querySelector("#app")!,
  props: { session: given(), secret: isSecret() },
});
