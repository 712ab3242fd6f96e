import { app } from "./app.js";

app.get("/api/twice", async (request) => [await request.getSession(), await request.getSession()]);
await app.listen({ port: Number(process.env.PORT), host: process.env.HOST });
