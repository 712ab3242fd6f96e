import { notionPlugin } from "../../plugins/providers/notion.ts";
import { testProvider } from "./_suite.ts";

const bot = (person: object) => ({
  object: "user",
  id: "16d84278-ab0e-484c-9bdd-b35da3bd8905",
  name: "My integration",
  avatar_url: null,
  type: "bot",
  bot: {
    owner: {
      type: "user",
      user: {
        object: "user",
        id: "5389a034-eb5c-47b5-8a9e-f79c99ef166c",
        name: "Christine Makenotion",
        avatar_url: "https://s3-us-west-2.amazonaws.com/public.notion-static.com/c.jpg",
        type: "person",
        person,
      },
    },
  },
});
const user = {
  id: "5389a034-eb5c-47b5-8a9e-f79c99ef166c",
  name: "Christine Makenotion",
  email: "christine@makenotion.com",
  image: "https://s3-us-west-2.amazonaws.com/public.notion-static.com/c.jpg",
};

testProvider(notionPlugin, {
  id: "notion",
  name: "Notion",
  type: "oauth",
  brandColor: "#000000",
  authorization: {
    url: "https://api.notion.com/v1/oauth/authorize",
    params: { owner: "user", scope: "" },
  },
  token: "https://api.notion.com/v1/oauth/token",
  userinfo: {
    url: "https://api.notion.com/v1/users/me",
    headers: { "Notion-Version": "2022-06-28" },
    root: "bot.owner.user",
  },
  checks: ["state"],
  way: {
    authorize: { url: "https://api.notion.com/v1/oauth/authorize", query: { owner: "user" } },
    token: {
      url: "https://api.notion.com/v1/oauth/token",
      answer: {
        access_token: "ntn_e202e8c9f0c2",
        token_type: "bearer",
        refresh_token: "nrt_4991090011501",
        bot_id: "b3414d65-1224-5ty7-6ffr-cc9d8773drt601288f",
        workspace_name: "Acme",
        workspace_icon: null,
        duplicated_template_id: null,
      },
    },
    userinfo: {
      url: "https://api.notion.com/v1/users/me",
      headers: { "notion-version": "2022-06-28" },
    },
    refusal: { status: 400, body: { error: "invalid_grant", request_id: "1" } },
    refusalOfUserinfo: {
      status: 401,
      body: {
        object: "error",
        status: 401,
        code: "unauthorized",
        message: "API token is invalid.",
      },
    },
  },
  users: [
    {
      about: "the owner of the bot",
      answer: bot({ email: "christine@makenotion.com" }),
      user,
    },
    {
      about: "an owner whose address is not readable",
      answer: bot({}),
      user: { ...user, email: null },
    },
  ],
});
