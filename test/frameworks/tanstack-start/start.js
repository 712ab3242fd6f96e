import { serve } from "srvx";
import server from "./dist/server/server.js";

serve({ fetch: server.fetch, port: Number(process.env.PORT), hostname: process.env.HOST });
