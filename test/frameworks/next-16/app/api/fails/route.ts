import { auth } from "../../../auth";

export async function GET() {
  await auth();
  throw new Error("The handler failed.");
}
