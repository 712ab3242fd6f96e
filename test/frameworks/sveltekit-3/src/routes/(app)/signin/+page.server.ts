import type { Actions } from "@sveltejs/kit";
import { auth } from "../../../auth";

export const actions = { default: auth.signIn } satisfies Actions;
