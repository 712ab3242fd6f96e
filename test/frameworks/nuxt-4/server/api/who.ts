import { getAuthSession } from "keyhook/nitro";

export default defineEventHandler(
  async (event) => (await getAuthSession(event))?.user?.name ?? "nobody",
);
