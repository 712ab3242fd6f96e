import { defineHandler } from "nitro/h3";
import { runTask } from "nitro/task";

export default defineHandler(() => runTask("keyhook:cleanup"));
