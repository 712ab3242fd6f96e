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
  people: [
    {
      about: "the owner of the bot",
      answer: bot({ email: "christine@makenotion.com" }),
      user,
    },
    {
      about: "an owner whose address may not be read",
      answer: bot({}),
      user: { ...user, email: null },
    },
  ],
});
