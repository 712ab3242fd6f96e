/** The addresses of the servers that some store tests need. */
export const SERVERS = {
  redis: { host: "127.0.0.1", port: Number(process.env.REDIS_PORT ?? 6379) },
  postgres: { host: "127.0.0.1", port: Number(process.env.PGPORT ?? 5432) },
  mysql: { host: "127.0.0.1", port: Number(process.env.MYSQL_PORT ?? 3306) },
} as const;

/** Connection settings of PostgreSQL. */
export const POSTGRES = {
  ...SERVERS.postgres,
  user: process.env.PGUSER ?? "postgres",
  database: process.env.PGDATABASE ?? "test",
};

/** Connection settings of MySQL. */
export const MYSQL = {
  ...SERVERS.mysql,
  user: process.env.MYSQL_USER ?? "root",
  password: process.env.MYSQL_PASSWORD ?? "",
  database: process.env.MYSQL_DATABASE ?? "test",
};
