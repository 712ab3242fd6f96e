import type { Ask, ExpressParts, ExpressRow } from "./_express.ts";

type Mount = (parts: ExpressParts) => void;

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "content-type": "application/json" };

const atStar: Mount = ({ app, handler, session }) => {
  app.use("/auth/*", handler);
  app.get("/me", session);
};
const at: Mount = ({ app, handler, session }) => {
  app.use("/auth", handler);
  app.get("/me", session);
};
const behind =
  (parser: (express: ExpressParts["express"]) => ExpressParts["handler"]): Mount =>
  (parts) => {
    parts.app.use(parser(parts.express));
    atStar(parts);
  };
const trusting =
  (setting: unknown): Mount =>
  (parts) => {
    parts.app.set("trust proxy", setting);
    atStar(parts);
  };

const login = (base = "/auth", password = "lovelace"): Ask => ({
  path: `${base}/callback/credentials`,
  method: "POST",
  headers: FORM,
  body: `csrfToken=TOKEN&username=ada&password=${password}&callbackUrl=/home`,
  csrf: true,
});
const loginByJson: Ask = {
  ...login(),
  headers: JSON_TYPE,
  body: '{"csrfToken":"TOKEN","username":"ada","password":"lovelace","callbackUrl":"/home"}',
};
const ME: Ask = { path: "/me" };
const FORWARDED = { "x-forwarded-proto": "https", "x-forwarded-host": "app.example" };

const mounts: Record<string, [mount: Mount, base: string]> = {
  "/auth/*": [atStar, "/auth"],
  "/auth": [at, "/auth"],
  "/api/auth/*": [
    ({ app, handler, session }) => void app.use("/api/auth/*", handler).get("/me", session),
    "/api/auth",
  ],
  "a router": [
    ({ app, express, handler, session }) => {
      const router = express.Router();
      router.use("/auth/*", handler);
      app.use("/api", router).get("/me", session);
    },
    "/api/auth",
  ],
  "an application in an application": [
    ({ app, express, handler, session }) => {
      const inner = express();
      inner.use("/auth/*", handler);
      app.use("/inner", inner).get("/me", session);
    },
    "/inner/auth",
  ],
};

/** The rows. */
export const EXPRESS_ROWS: readonly ExpressRow[] = [
  ...Object.entries(mounts).map(([name, [mount, base]]): ExpressRow => ({
    name: `mounted at ${name}`,
    mount,
    asks: [
      { path: `${base}/providers` },
      { path: `${base}/session` },
      { path: `${base}/signin` },
      login(base),
      ME,
      { path: `${base}/session` },
      { path: `${base}/nothing` },
      { path: `${base}/nothing/more` },
      { path: base },
      { path: "/other" },
      { path: `${base}/session`, method: "HEAD" },
      { path: `${base}/session?a=b&a=c` },
      { ...login(base), path: `${base}/signout`, body: "csrfToken=TOKEN&callbackUrl=/bye" },
      ME,
    ],
  })),
  ...Object.entries({
    "no body parser": at,
    "body parsers": (parts: ExpressParts) => {
      parts.app.use(parts.express.json(), parts.express.urlencoded({ extended: true }));
      at(parts);
    },
  }).map(([name, mount]): ExpressRow => ({
    name: `Express 5 with ${name}`,
    version: 5,
    mount,
    asks: [{ path: "/auth/providers" }, login("/auth", "wrong"), login(), ME, loginByJson],
  })),
  ...Object.entries({
    none: atStar,
    json: behind((express) => express.json()),
    "urlencoded, extended": behind((express) => express.urlencoded({ extended: true })),
    "urlencoded, simple": behind((express) => express.urlencoded({ extended: false })),
    text: behind((express) => express.text()),
    "text of all types": behind((express) => express.text({ type: "*/*" })),
    "raw of all types": behind((express) => express.raw({ type: "*/*" })),
    all: behind((express) => [express.json(), express.urlencoded({ extended: true })] as never),
  }).map(([name, mount]): ExpressRow => ({
    name: `behind a body parser: ${name}`,
    mount,
    asks: [
      login("/auth", "wrong"),
      login(),
      ME,
      loginByJson,
      { ...login(), body: "csrfToken=TOKEN&username=a&username=b&password=lovelace" },
      { ...login(), body: "csrfToken=TOKEN&username[x]=a&password=lovelace" },
      { ...login(), body: "csrfToken=TOKEN&username=%C3%A4+%26&password=love%6Cace" },
      { ...login(), headers: { "content-type": "text/plain" } },
      { ...loginByJson, body: "{" },
      { ...login(), body: "" },
    ],
  })),
  ...[false, true, 1, "loopback"].map((setting): ExpressRow => ({
    name: `trust proxy: ${setting}`,
    mount: trusting(setting),
    signedIn: true,
    asks: [
      { path: "/auth/providers" },
      { path: "/auth/providers", headers: FORWARDED },
      { path: "/auth/csrf", headers: FORWARDED },
      ME,
      { ...ME, headers: FORWARDED },
    ],
  })),
  {
    name: "AUTH_URL",
    mount: atStar,
    env: { AUTH_URL: "https://app.example" },
    asks: [{ path: "/auth/providers" }, { path: "/auth/csrf" }, ME],
  },
  {
    name: "AUTH_URL with a path",
    mount: atStar,
    env: { AUTH_URL: "https://app.example/auth" },
    asks: [{ path: "/auth/providers" }, ME],
  },
  {
    name: "AUTH_URL with the path of a proxy",
    mount: atStar,
    env: { AUTH_URL: "https://app.example/shop/auth" },
    asks: [{ path: "/auth/providers" }, ME],
  },
  {
    name: "getSession",
    mount: atStar,
    signedIn: true,
    asks: [
      ME,
      { ...ME, headers: { cookie: "authjs.session-token=junk" } },
      { ...ME, headers: { cookie: "" } },
    ],
  },
  {
    name: "getSession before any request of the routes, elsewhere than /auth",
    mount: mounts["/api/auth/*"]?.[0] as Mount,
    signedIn: true,
    asks: [ME],
  },
  {
    name: "a session callback that throws",
    mount: atStar,
    config: {
      callbacks: {
        session() {
          throw new Error("a bug");
        },
      },
    },
    signedIn: true,
    asks: [ME, { path: "/auth/session" }],
  },
  {
    name: "base path of the configuration",
    mount: atStar,
    config: { basePath: "/auth" },
    asks: [{ path: "/auth/providers" }, login(), ME],
  },
  {
    name: "letters of another case",
    mount: atStar,
    asks: [{ path: "/AUTH/session" }, { path: "/auth/Session" }],
  },
];
