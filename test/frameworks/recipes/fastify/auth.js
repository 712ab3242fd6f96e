import { config } from "common";
import { createAuth } from "keyhook/fastify";

export const auth = createAuth(config);
