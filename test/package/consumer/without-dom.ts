import createAuth from "keyhook";
import { passkeyPlugin } from "keyhook/providers/passkey";

const authenticationOptions = { extensions: { appid: "https://app.example", credProps: true } };

export const auth = createAuth().use(passkeyPlugin({ authenticationOptions }));
