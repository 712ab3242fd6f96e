import { eventHandler } from "h3";
import { runTask } from "nitropack/runtime/task";

export default eventHandler(() => runTask("keyhook:cleanup"));
