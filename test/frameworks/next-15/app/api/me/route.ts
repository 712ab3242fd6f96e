import { NextResponse } from "next/server";
import { auth } from "../../../auth";

export const GET = auth((request) => {
  if (request.auth) return NextResponse.json(request.auth.user);
  return NextResponse.json({ error: "SessionRequired" }, { status: 401 });
});
