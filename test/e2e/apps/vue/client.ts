import { createSSRApp } from "vue";
import { authPlugin } from "../../../../plugins/frameworks/vue.ts";
import { given, isSecret } from "../page.ts";
import App from "./app.vue";

createSSRApp(App, { secret: isSecret() })
  .use(authPlugin({ session: given() }))
  .mount("#app");
