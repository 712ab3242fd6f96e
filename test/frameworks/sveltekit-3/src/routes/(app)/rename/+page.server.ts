import { auth } from "../../../auth";
import type { Actions } from "./$types";

export const actions: Actions = {
  default: async (event) => {
    await auth.update(event, { name: "Countess" });
  },
};
