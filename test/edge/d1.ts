import { createDatabase } from "db0";
import cloudflareD1 from "db0/connectors/cloudflare-d1";
import { createAuth } from "keyhook";
import { storeAdapter } from "keyhook/adapters/store";
import { credentialsPlugin } from "keyhook/providers/credentials";
import { db0Store } from "keyhook/stores/db0";

// As in plugins/stores/README.md.
const database = createDatabase(cloudflareD1({ bindingName: "DB" }));

const auth = createAuth({ session: { strategy: "database" } })
  .use(db0Store(database))
  .use(storeAdapter())
  .use(
    credentialsPlugin({
      credentials: { username: {} },
      authorize: ({ username = "" }) => ({ id: username, name: "Ada" }),
    }),
  );

export default { fetch: (request: Request) => auth.fetch(request) };
