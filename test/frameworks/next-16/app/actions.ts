"use server";

import { AuthError } from "keyhook/next";
import { redirect } from "next/navigation";
import { auth, signIn, signOut, update } from "../auth";

export async function enter(form: FormData) {
  try {
    await signIn("credentials", form);
  } catch (error) {
    if (error instanceof AuthError) redirect(`/?error=${error.type}`);
    throw error;
  }
}

export async function enterWithProvider() {
  await signIn("op", { redirectTo: "/locked" });
}

export async function rename(form: FormData) {
  const session = await update({ name: form.get("name") });
  const read = await auth();
  if (session?.user?.name !== read?.user?.name) throw new Error("The action read an old session.");
}

export async function leave() {
  await signOut({ redirectTo: "/" });
}
