import express from "express";
import express4 from "express-4";
import { createAuth } from "../../presets/node.ts";
import { listen, nodeApp } from "./_serve.ts";
import { testBinding } from "./_suite.ts";

const versions = { "express 4": express4 as unknown as typeof express, "express 5": express };

for (const [name, make] of Object.entries(versions)) {
  testBinding(name, (config) => listen(make().use(createAuth(config).handler).use(nodeApp)));

  testBinding(`${name}, mounted`, (config) =>
    listen(make().use("/auth", createAuth(config).handler).use(nodeApp)),
  );

  testBinding(`${name}, in a router in a router`, (config) => {
    const inner = make.Router().use("/auth", createAuth(config).handler);
    return listen(make().use("/", make.Router().use(inner)).use(nodeApp));
  });

  testBinding(
    `${name}, after body parsers`,
    (config) =>
      listen(
        make()
          .use(make.json(), make.urlencoded({ extended: true }))
          .use(createAuth(config).handler)
          .use(nodeApp),
      ),
    { parser: true },
  );

  testBinding(
    `${name}, mounted after body parsers`,
    (config) =>
      listen(
        make()
          .use(make.urlencoded({ extended: false }), make.json())
          .use("/auth", createAuth(config).handler)
          .use(nodeApp),
      ),
    { parser: true },
  );

  testBinding(
    `${name}, after a JSON parser only`,
    (config) => listen(make().use(make.json()).use(createAuth(config).handler).use(nodeApp)),
    { parser: true },
  );

  testBinding(`${name}, after a raw body parser`, (config) =>
    listen(
      make()
        .use(make.raw({ type: (req) => req.headers["content-type"] !== "a/b" }))
        .use(createAuth(config).handler)
        .use(nodeApp),
    ),
  );

  testBinding(`${name}, after a text parser`, (config) =>
    listen(
      make()
        .use(make.text({ type: "application/*" }))
        .use(createAuth(config).handler)
        .use(nodeApp),
    ),
  );
}
