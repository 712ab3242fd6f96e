import { createElement, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import type { Session } from "../../../../plugins/frameworks/react.ts";
import { App } from "./app.ts";

export const render = (session: Session | null | undefined, secret: boolean) =>
  renderToString(
    createElement(
      StrictMode,
      null,
      createElement(App, { secret, ...(session !== undefined && { session }) }),
    ),
  );
