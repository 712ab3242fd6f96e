import { config } from "common";
import { createAuth } from "keyhook/node";

export const auth = createAuth(config);
