import { createAuth } from "keyhook";
import { storeAdapter } from "keyhook/adapters/store";

const auth = createAuth().use(storeAdapter());

/** Responds with the message of the error with which reading the session fails. */
export default {
  fetch: (request: Request) =>
    auth.getSession(request).then(
      () => new Response("no error"),
      ({ message }: Error) => new Response(message),
    ),
};
