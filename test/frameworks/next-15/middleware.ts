import { auth } from "./auth";

export default auth((request) => {
  const { pathname, search, origin } = request.nextUrl;
  if (request.auth || !pathname.toLowerCase().startsWith("/locked")) return undefined;
  const target = new URL("/api/auth/signin", origin);
  target.searchParams.set("callbackUrl", pathname + search);
  return Response.redirect(target);
});

export const config = { matcher: ["/((?!api|_next/static|_next/image|favicon.ico).*)"] };
