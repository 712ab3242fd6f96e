import { config } from "common";
import { createAuth } from "keyhook";

export const auth = createAuth(config);
