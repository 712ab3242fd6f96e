import { index, route } from "@react-router/dev/routes";

export default [
  index("routes/home.jsx"),
  route("locked", "routes/locked.jsx"),
  route("api/me", "routes/me.js"),
  route("api/twice", "routes/twice.js"),
  route("login", "routes/login.jsx"),
  route("auth/*", "routes/auth.js"),
];
