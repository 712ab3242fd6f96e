import { eventHandler } from "h3";
import { getAuthSession, requireAuthSession } from "keyhook/nitro";

export default eventHandler(async (event) => [
  await getAuthSession(event),
  await requireAuthSession(event),
  await event.context.auth(),
]);
