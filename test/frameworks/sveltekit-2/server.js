import { createServer } from "node:http";

// A proxy in front of the server sets the scheme, which is unknown before the application is built.
process.env.PROTOCOL_HEADER = "x-forwarded-proto";
const { handler } = await import("./build/handler.js");

createServer((req, res) => {
  req.headers["x-forwarded-proto"] = "http";
  handler(req, res, () => res.writeHead(404).end());
}).listen(Number(process.env.PORT), "127.0.0.1");
