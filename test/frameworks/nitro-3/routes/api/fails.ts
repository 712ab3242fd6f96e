import { getAuthSession } from "keyhook/nitro";
import { defineHandler, HTTPError } from "nitro/h3";

export default defineHandler(async (event) => {
  await getAuthSession(event);
  throw new HTTPError({ status: 418 });
});
