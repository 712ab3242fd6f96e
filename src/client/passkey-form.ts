import {
  askPasskey,
  type PasskeyCall,
  supportsPasskeyAutofill,
  supportsPasskeys,
} from "./passkey.ts";

/** Milliseconds after which an offer is made anew: the server forgets a challenge after 15 minutes. */
const RENEWED = 10 * 60_000;

// `https://app.example/auth/callback/passkey`. Fields stand in for a form's members of their names: its
// `action` is a button here.
function placeOf(form: HTMLFormElement): Pick<PasskeyCall, "base" | "provider"> {
  const action = form.getAttribute("action") ?? "";
  const [, base = "", provider = ""] = /^(.*)\/callback\/([^/?#]+)$/.exec(action) ?? [];
  return { base, provider: decodeURIComponent(provider) };
}

function fieldsOf(form: HTMLFormElement): Record<string, string> {
  const inputs = form.querySelectorAll<HTMLInputElement>("input[data-form-field]");
  return Object.fromEntries([...inputs].map(({ name, value }) => [name, value]));
}

// What the pressed button says, else the form's own `action` field.
function isRegistration(form: HTMLFormElement, button: HTMLElement | null): boolean {
  const said = (button as HTMLButtonElement | null)?.value;
  const field = form.querySelector<HTMLInputElement>('input[name="action"]');
  return (said || field?.value) === "register";
}

// Natively: the browser goes where the answer leads, also to another origin.
function post(form: HTMLFormElement, answer: Record<string, string>): void {
  for (const [name, value] of Object.entries(answer)) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    form.append(input);
  }
  HTMLFormElement.prototype.submit.call(form);
}

async function offer(form: HTMLFormElement): Promise<void> {
  if (!form.querySelector('input[autocomplete$="webauthn"]')) return;
  if (!(await supportsPasskeyAutofill())) return;
  const answer = await askPasskey({ ...placeOf(form), autofill: true });
  post(form, { ...answer });
}

/** Lets the form of a sign-in page talk to authenticators. */
function revive(form: HTMLFormElement, told: HTMLElement): void {
  const tell = (text: string) => {
    told.textContent = text;
    told.hidden = text === "";
  };
  // Who declines has declined, and an offer gives way to a button: nothing is wrong.
  const quietly = () => {};
  const renew = () => void offer(form).catch(quietly);
  let renewal = setInterval(renew, RENEWED);

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const isNew = isRegistration(form, event.submitter);
    const action = isNew ? "register" : "authenticate";
    clearInterval(renewal);
    tell("");
    askPasskey({ ...placeOf(form), action, ...(isNew && { fields: fieldsOf(form) }) })
      .then((answer) => post(form, { ...answer }))
      .catch((error: Error) => {
        const isIncomplete = error.name === "PasskeyRefused" && !form.reportValidity();
        if (!isIncomplete) tell(told.dataset.failed ?? "");
        renew();
        renewal = setInterval(renew, RENEWED);
      });
  });

  // A passkey asks for no name: what is required is so for a registration.
  form.noValidate = true;
  form.hidden = false;
  tell("");
  renew();
}

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-live]")) {
  const told = form.nextElementSibling as HTMLElement | null;
  if (told && supportsPasskeys()) revive(form, told);
}
