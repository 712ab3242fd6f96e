import connect from "connect";
import { createAuth } from "../../presets/node.ts";
import { listen, nodeApp } from "./_serve.ts";
import { testBinding } from "./_suite.ts";

testBinding("node:http", (config) => {
  const auth = createAuth(config);
  return listen((req, res) => auth.handler(req, res, () => nodeApp(req, res)));
});

testBinding("connect", (config) => {
  const app = connect();
  app.use(createAuth(config).handler);
  return listen(app.use(nodeApp));
});

testBinding("connect, mounted", (config) => {
  const app = connect();
  app.use("/auth", createAuth(config).handler);
  return listen(app.use(nodeApp));
});
