import { createServer } from "node:http";
import * as door from "keyhook/node";

export const server = createServer();
console.log(JSON.stringify(Object.keys(door)));
