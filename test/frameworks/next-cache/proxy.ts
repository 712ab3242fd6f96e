import { NextResponse } from "next/server";
import { auth } from "./auth";

export const proxy = auth((request) => {
  const { pathname } = request.nextUrl;
  if (request.auth || !pathname.startsWith("/locked")) {
    const headers = new Headers(request.headers);
    headers.set("x-proxy", "passed");
    return pathname === "/private" ? NextResponse.next({ request: { headers } }) : undefined;
  }
  const target = request.nextUrl.clone();
  target.pathname = "/";
  return NextResponse.redirect(target);
});
