import type { Setting } from "../stores/_history.ts";
import { openBackend } from "../stores/_open.ts";
import { runTasks } from "../stores/_racers.ts";
import { createFlowApp } from "./_flow-app.ts";

// One of several processes that run the same application.
const { backend, close } = await openBackend(JSON.parse(process.argv[2] ?? "{}") as Setting);
runTasks(createFlowApp(backend).visit, close);
