import { renderToString } from "@vue/server-renderer";
import { createSSRApp } from "vue";
import { authPlugin, type Session } from "../../../../plugins/frameworks/vue.ts";
import App from "./app.vue";

export const render = (session: Session | null | undefined, secret: boolean) =>
  renderToString(createSSRApp(App, { secret }).use(authPlugin({ session })));
