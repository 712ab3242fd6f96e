// Everything except passkeys works without this file. It is bundled for the browser when the playground starts.
import {
  type SignInFailure,
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

function getField(form: HTMLFormElement, name: string): string {
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

function showResult(form: HTMLElement, text: string, isBad = false): void {
  const result = form.querySelector<HTMLElement>("[data-result]");
  if (!result) return;
  result.textContent = text;
  result.className = isBad ? "message bad" : "quiet";
}

function onSubmit(
  name: string,
  act: (form: HTMLFormElement, value: string) => Promise<void>,
): void {
  const form = find<HTMLFormElement>(name);
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter as HTMLButtonElement | null;
    act(form, button?.value ?? "").catch((error: Error) => showResult(form, error.message, true));
  });
}

/** Whether a sign-out is redirecting this page to the identity provider. */
let isLeaving = false;

function live(json: HTMLElement): void {
  const session = JSON.parse(json.textContent ?? "null") as Shown;
  const watch = watchSession({ session });

  watch.subscribe(() => {
    if (isLeaving) return undefined;
    const { status, data, error } = watch.read();
    // The visitor signed in or out, here or in another tab, so the page must be loaded again.
    if (Boolean(data) !== Boolean(session)) return location.reload();
    const shown = error ? `not reached (${error.status || "offline"})` : status;
    find("status")?.setAttribute("data-status", error ? "error" : status);
    write("status", shown);
    write("changed", `at ${new Date().toTimeString().slice(0, 8)}`);
    if (!data) return undefined;
    const { nickname, user, expires } = data as NonNullable<Shown>;
    json.textContent = JSON.stringify(data, null, 2);
    write("name", nickname ?? user?.name ?? user?.email ?? "visitor");
    find<HTMLTimeElement>("expires")?.setAttribute("datetime", expires);
    tick();
    return undefined;
  });

  find("refresh")?.addEventListener("click", (event) => {
    event.preventDefault();
    // A failure is shown in the session's status. Firefox also rejects requests that are in progress when the visitor
    // leaves the page.
    watch
      .refresh()
      .then(showEvents)
      .catch(() => {});
  });
}

const REASONS: Record<string, string> = {
  NotAllowedError: "Nothing was chosen, or there is no passkey for this address.",
  InvalidStateError: "This device has a passkey for you already.",
};
const getReason = ({ error }: SignInFailure) => REASONS[error] ?? `That did not work: ${error}.`;

const json = find("json");
if (json) live(json);
tick();
setInterval(tick, 1000);

onSubmit("signout", async (form) => {
  isLeaving = true;
  const result = await signOut({ redirect: false });
  // On a failure, the form is submitted, so that the server shows the error.
  if (!result.ok) form.submit();
  else location.assign(result.url ?? "/");
});

onSubmit("nickname", async (form) => {
  const nickname = getField(form, "nickname").trim();
  const session = (await update({ nickname })) as Shown;
  const isTaken = session?.nickname === nickname;
  const text = isTaken
    ? "Taken: it is in the session now."
    : "That nickname was refused: the session callback takes up to 24 letters.";
  showResult(form, text, !isTaken);
  await showEvents();
});

if ("PublicKeyCredential" in globalThis) {
  const form = find<HTMLFormElement>("passkey");
  if (form) form.hidden = false;
  find("passkeys-off")?.remove();
  onSubmit("passkey", async (asked, action) => {
    const email = getField(asked, "email");
    const options = { redirect: false, ...(email && { email }) };
    const result =
      action === "register"
        ? await registerPasskey(options)
        : await signInWithPasskey({ redirect: false });
    // If the visitor was signed out, the page is already reloading.
    if (result.ok) showResult(asked, "Added: it stands on your account page.");
    else showResult(asked, getReason(result), true);
    await showEvents();
  });
}
