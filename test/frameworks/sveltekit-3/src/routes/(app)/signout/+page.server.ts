import type { Actions } from "@sveltejs/kit";
import { auth } from "../../../auth";

export const actions: Actions = { default: auth.signOut };
