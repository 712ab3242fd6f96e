import { createHandler, StartServer } from "@solidjs/start/server";

// A page whose headers depend on its reads is rendered before it is sent.
export default createHandler(
  () => (
    <StartServer
      document={({ assets, children, scripts }) => (
        <html lang="en">
          <head>{assets}</head>
          <body>
            <div id="app">{children}</div>
            {scripts}
          </body>
        </html>
      )}
    />
  ),
  { mode: "async" },
);
