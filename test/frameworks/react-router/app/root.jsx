import { Outlet, Scripts } from "react-router";
import { authMiddleware } from "./auth-middleware.server.js";

export const middleware = [authMiddleware];

export default function Root() {
  return (
    <html lang="en">
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  );
}
