import { app } from "./app.js";

app.use(async (ctx) => {
  if (ctx.path !== "/api/twice") return;
  ctx.body = [await ctx.state.getSession(), await ctx.state.getSession()];
});
app.listen(Number(process.env.PORT), process.env.HOST);
