/** A test user. */
export interface Person {
  id: string;
  username: string;
  name: string;
  email: string;
  /** A note about the user, shown in the lists. */
  note?: string;
  banned?: boolean;
}

/** The password of every test user. */
export const PASSWORD = "open-sesame";

/** The users that both Playground ID and the password form know. */
export const people: readonly Person[] = [
  { id: "p-1", username: "mira", name: "Mira Solberg", email: "mira@playground.example" },
  { id: "p-2", username: "tomas", name: "Tomás Rey", email: "tomas@playground.example" },
  {
    id: "p-3",
    username: "quill",
    name: "Quill Ostrander",
    email: "quill@playground.example",
    note: "not on the guest list",
    banned: true,
  },
];
