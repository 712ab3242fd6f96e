import { app } from "./app.js";
import { auth } from "./auth.js";

app.get("/api/twice", async (req, res) => {
  res.json([await auth.getSession(req), await auth.getSession(req)]);
});
app.listen(Number(process.env.PORT), process.env.HOST);
