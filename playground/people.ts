/** Somebody to be, while trying things out. */
export interface Person {
  id: string;
  username: string;
  name: string;
  email: string;
  /** What is special about them. */
  note?: string;
  banned?: boolean;
}

/** The same for everybody: this is a playground. */
export const PASSWORD = "open-sesame";

/** Known to Playground ID and to the form with names and passwords alike. */
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
