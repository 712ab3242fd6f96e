import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { drizzle } from "drizzle-orm/node-postgres";
import * as pg from "drizzle-orm/pg-core";

const readme = new URL("../../../plugins/adapters/README.md", import.meta.url);
// The file is in this folder, so that its imports resolve.
const file = new URL("_readme-methods.js", import.meta.url);

/** Loads the example of the adapters' README. */
async function loadExample() {
  const [, code] = /<!-- drizzle -->\n+```js\n([^]*?)^```$/m.exec(readFileSync(readme, "utf8"));
  writeFileSync(file, code);
  try {
    return await import(/* @vite-ignore */ file.href);
  } finally {
    rmSync(file);
  }
}

/** Returns the tables of Auth.js with the two additional columns of the README. */
function createTables() {
  const { pgTable, text, timestamp, integer, boolean, primaryKey } = pg;
  const time = (name) => timestamp(name, { mode: "date" });
  const users = pgTable("user", {
    id: text("id")
      .primaryKey()
      .$defaultFn(() => crypto.randomUUID()),
    ...{ name: text("name"), email: text("email").unique(), image: text("image") },
    ...{ emailVerified: time("emailVerified"), emailAttested: boolean("emailAttested") },
  });
  const userId = () =>
    text("userId")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" });
  const accounts = pgTable(
    "account",
    {
      ...{ userId: userId(), type: text("type").notNull(), provider: text("provider").notNull() },
      providerAccountId: text("providerAccountId").notNull(),
      ...{ refresh_token: text("refresh_token"), access_token: text("access_token") },
      ...{ expires_at: integer("expires_at"), token_type: text("token_type") },
      ...{ scope: text("scope"), id_token: text("id_token"), session_state: text("session_state") },
      verifiedEmail: text("verifiedEmail"),
    },
    ({ provider, providerAccountId }) => [primaryKey({ columns: [provider, providerAccountId] })],
  );
  const sessions = pgTable("session", {
    sessionToken: text("sessionToken").primaryKey(),
    ...{ userId: userId(), expires: time("expires").notNull() },
  });
  const verificationTokens = pgTable("verificationToken", {
    ...{ identifier: text("identifier").notNull(), token: text("token").notNull() },
    expires: time("expires").notNull(),
  });
  const authenticators = pgTable("authenticator", {
    ...{ credentialID: text("credentialID").notNull().unique(), userId: userId() },
    providerAccountId: text("providerAccountId").notNull(),
    credentialPublicKey: text("credentialPublicKey").notNull(),
    ...{ counter: integer("counter").notNull(), transports: text("transports") },
    credentialDeviceType: text("credentialDeviceType").notNull(),
    credentialBackedUp: boolean("credentialBackedUp").notNull(),
  });
  return { users, accounts, sessions, verificationTokens, authenticators };
}

/** Creates the adapter of the README's example. The tables of Auth.js already exist. */
export async function createDrizzleAdapter(pool) {
  await pool.query(
    'ALTER TABLE "user" ADD "emailAttested" BOOLEAN; ALTER TABLE account ADD "verifiedEmail" TEXT',
  );
  const { createAdapter } = await loadExample();
  return createAdapter(drizzle(pool), createTables());
}
