import { getAuthSession, requireAuthSession } from "keyhook/nitro";

export default defineEventHandler(async (event) => [
  await getAuthSession(event),
  await requireAuthSession(event),
]);
