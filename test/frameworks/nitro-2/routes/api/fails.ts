import { createError, eventHandler } from "h3";
import { getAuthSession } from "keyhook/nitro";

export default eventHandler(async (event) => {
  await getAuthSession(event);
  throw createError({ statusCode: 418 });
});
