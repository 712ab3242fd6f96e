import { auth } from "../../../auth";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = async (event) => {
  const { user } = await auth.requireSession(event);
  return { name: user?.name };
};
