import { auth } from "../../auth";

export const actions = auth.actions;
