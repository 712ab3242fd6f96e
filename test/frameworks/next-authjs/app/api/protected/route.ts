import { auth } from "@/auth";

export const GET = auth(function GET(req) {
  if (req.auth) return Response.json({ data: "Protected data" });
  return Response.json({ message: "Not authenticated" }, { status: 401 });
});
