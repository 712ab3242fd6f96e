import createAuth from "keyhook";
import { createAuth as createAstro } from "keyhook/astro";
import createExpress, { ExpressAuth } from "keyhook/express";
import createH3 from "keyhook/h3";
import createNode from "keyhook/node";
import { accessTokens } from "keyhook/oauth/access-tokens";
import { credentialsPlugin } from "keyhook/providers/credentials";
import GitHub, { githubPlugin } from "keyhook/providers/github";
import { SvelteKitAuth } from "keyhook/sveltekit";

// A package of a monorepo emits declarations of inferred types, which may only name entry points.
export const auth = createAuth().use(githubPlugin()).use(accessTokens());
export const astro = createAstro({ providers: [GitHub] });
export const express = createExpress().use(githubPlugin());
export const middleware = ExpressAuth({ providers: [GitHub] });
export const h3 = createH3().use(githubPlugin());
export const node = createNode().use(githubPlugin());
export const { handle, signIn, signOut } = SvelteKitAuth({ providers: [GitHub] });
export const password = credentialsPlugin({
  credentials: { username: {}, password: { type: "password" } },
  authorize: ({ username }) => (username ? { id: username } : null),
});
