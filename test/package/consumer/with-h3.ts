import { H3 } from "h3";
import * as door from "keyhook/h3";

export const app = new H3();
console.log(JSON.stringify(Object.keys(door)));
