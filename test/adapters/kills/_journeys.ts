import { BY_ACCOUNT } from "./_by-account.ts";
import { BY_MAIL } from "./_by-mail.ts";
import { BY_PASSKEY } from "./_by-passkey.ts";
import type { Journey } from "./_journey.ts";
import { OF_PEOPLE } from "./_of-people.ts";
import { OF_SESSIONS } from "./_of-sessions.ts";

/** Every flow that writes records. */
export const JOURNEYS: Record<string, Journey> = {
  ...BY_ACCOUNT,
  ...BY_MAIL,
  ...BY_PASSKEY,
  ...OF_SESSIONS,
  ...OF_PEOPLE,
};
