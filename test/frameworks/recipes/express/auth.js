import { config } from "common";
import { createAuth } from "keyhook/express";

export const auth = createAuth(config);
