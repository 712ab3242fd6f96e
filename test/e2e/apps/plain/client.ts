import * as keyhook from "../../../../src/client.ts";
import { given, getName } from "../page.ts";

const watch = keyhook.watchSession({ session: given() });
const who = document.createElement("p");
who.id = "who";
const error = document.createElement("p");
error.id = "error";
document.querySelector("#app")?.append(who, error);

const show = () => {
  const { status, data, error: fault } = watch.read();
  who.textContent = getName(status, data);
  error.textContent = fault ? String(fault.status) : "";
};
show();
watch.subscribe(show);

Object.assign(globalThis, { keyhook, watch });
