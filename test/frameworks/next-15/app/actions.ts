"use server";

import { signIn, signOut, unstable_update } from "../auth";

export async function enter(form: FormData) {
  await signIn("credentials", form);
}

export async function rename() {
  await unstable_update({ user: { name: "Countess" } });
}

export async function leave() {
  await signOut();
}
