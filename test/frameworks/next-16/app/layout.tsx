import { auth } from "../auth";
import { Provider, State } from "./client";

export default async function Layout({ children }: { children: React.ReactNode }) {
  const session = await auth();
  return (
    <html lang="en">
      <body>
        <Provider session={session}>
          <State />
          {children}
        </Provider>
      </body>
    </html>
  );
}
