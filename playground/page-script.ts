// Everything but passkeys works without this file; it is put together for the browser when the
// playground starts.
import {
  type Failed,
  registerPasskey,
  type Session,
  signInWithPasskey,
  signOut,
  update,
  watchSession,
} from "../src/client.ts";

type Shown = (Session & { nickname?: string }) | null;

const find = <E extends HTMLElement>(name: string) => document.querySelector<E>(`[data-${name}]`);
const write = (name: string, text: string) => find(name)?.replaceChildren(text);

function fieldOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === "string" ? value : "";
}

function left(expires: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(expires) - Date.now()) / 1000));
  if (seconds === 0) return "now";
  const parts = [Math.floor(seconds / 60), seconds % 60];
  return `in ${parts.map((part) => String(part).padStart(2, "0")).join(":")}`;
}

function tick(): void {
  const time = find<HTMLTimeElement>("expires");
  if (time) time.textContent = left(time.dateTime);
}

async function showEvents(): Promise<void> {
  const response = await fetch("/events");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const events = page.querySelector("[data-events]");
  if (response.ok && events) find("events")?.replaceWith(events);
}

function tell(form: HTMLElement, text: string, isBad = false): void {
  const told = form.querySelector<HTMLElement>("[data-told]");
  if (!told) return;
  told.textContent = text;
  told.className = isBad ? "message bad" : "quiet";
}

function onSubmit(
  name: string,
  act: (form: HTMLFormElement, value: string) => Promise<void>,
): void {
  const form = find<HTMLFormElement>(name);
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter as HTMLButtonElement | null;
    act(form, button?.value ?? "").catch((error: Error) => tell(form, error.message, true));
  });
}

function live(json: HTMLElement): void {
  const session = JSON.parse(json.textContent ?? "null") as Shown;
  const watch = watchSession({ session });

  watch.subscribe(() => {
    const { status, data, error } = watch.read();
    // Signed in or out, here or in another tab: the whole page is another one.
    if (Boolean(data) !== Boolean(session)) return location.reload();
    const told = error ? `not reached (${error.status || "offline"})` : status;
    find("status")?.setAttribute("data-status", error ? "error" : status);
    write("status", told);
    write("changed", `at ${new Date().toTimeString().slice(0, 8)}`);
    if (!data) return undefined;
    const { nickname, user, expires } = data as NonNullable<Shown>;
    json.textContent = JSON.stringify(data, null, 2);
    write("name", nickname ?? user?.name ?? user?.email ?? "somebody");
    find<HTMLTimeElement>("expires")?.setAttribute("datetime", expires);
    tick();
    return undefined;
  });

  find("refresh")?.addEventListener("click", (event) => {
    event.preventDefault();
    // A failure is shown as the session's.
    void watch.refresh().then(showEvents, () => {});
  });
}

const REASONS: Record<string, string> = {
  NotAllowedError: "Nothing was chosen, or there is no passkey for this address.",
  InvalidStateError: "This device has a passkey for you already.",
};
const reasonOf = ({ error }: Failed) => REASONS[error] ?? `That did not work: ${error}.`;

const json = find("json");
if (json) live(json);
tick();
setInterval(tick, 1000);

onSubmit("signout", async (form) => {
  const result = await signOut({ redirect: false });
  // What goes wrong here, the server can tell better.
  if (!result.ok) form.submit();
});

onSubmit("nickname", async (form) => {
  const nickname = fieldOf(form, "nickname").trim();
  const session = (await update({ nickname })) as Shown;
  const isTaken = session?.nickname === nickname;
  const text = isTaken
    ? "Taken: it is in the session now."
    : "That nickname was refused: the session callback takes up to 24 letters.";
  tell(form, text, !isTaken);
  await showEvents();
});

if ("PublicKeyCredential" in globalThis) {
  const form = find<HTMLFormElement>("passkey");
  if (form) form.hidden = false;
  find("passkeys-off")?.remove();
  onSubmit("passkey", async (asked, action) => {
    const email = fieldOf(asked, "email");
    const options = { redirect: false, ...(email && { email }) };
    const result =
      action === "register"
        ? await registerPasskey(options)
        : await signInWithPasskey({ redirect: false });
    // Who was signed out sees another page now.
    if (result.ok) tell(asked, "Added: it stands on your account page.");
    else tell(asked, reasonOf(result), true);
    await showEvents();
  });
}
