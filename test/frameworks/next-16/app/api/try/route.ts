import { CredentialsSignin } from "keyhook/next";
import { signIn } from "../../../auth";

/** Tries a password, and returns the result. */
export async function POST(request: Request) {
  const fields = Object.fromEntries(await request.formData());
  try {
    await signIn("credentials", { ...fields, redirect: false });
    return Response.json("signed in");
  } catch (error) {
    return Response.json(error instanceof CredentialsSignin ? error.code : String(error));
  }
}
