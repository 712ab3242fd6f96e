import { createElement, StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { given, isSecret } from "../page.ts";
import { App } from "./app.ts";

const session = given();
const app = createElement(App, { secret: isSecret(), ...(session !== undefined && { session }) });
hydrateRoot(document.querySelector("#app")!, createElement(StrictMode, null, app), {
  onRecoverableError: (error) => console.error("hydration", error),
});
