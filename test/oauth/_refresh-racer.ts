import { openBackend } from "../stores/_open.ts";
import { runTasks } from "../stores/_racers.ts";
import { createRefreshApp, type RefreshSetting } from "./_refresh-app.ts";

// One of several processes that run the same application.
const { issuer, ...setting } = JSON.parse(process.argv[2] ?? "{}") as RefreshSetting;
const { backend, close } = await openBackend(setting);
runTasks(createRefreshApp(backend, issuer).call, close);
