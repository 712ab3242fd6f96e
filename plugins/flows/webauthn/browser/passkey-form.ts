import {
  runPasskeyCeremony,
  type PasskeyCall,
  type PasskeyRefused,
  supportsPasskeyAutofill,
  supportsPasskeys,
} from "../../../../src/client/passkey.ts";

// For example `https://app.example/auth/callback/passkey`. Fields shadow a form's members of the same name:
// `form.action` is a button here.
function getEndpoint(form: HTMLFormElement): Pick<PasskeyCall, "base" | "provider"> {
  const action = form.getAttribute("action") ?? "";
  const [, base = "", provider = ""] = /^(.*)\/callback\/([^/?#]+)$/.exec(action) ?? [];
  return { base, provider: decodeURIComponent(provider) };
}

function getFields(form: HTMLFormElement): Record<string, string> {
  const inputs = form.querySelectorAll<HTMLInputElement>("input[data-form-field]");
  return Object.fromEntries([...inputs].map(({ name, value }) => [name, value]));
}

// Reads the value of the pressed button, else the form's own `action` field.
function isRegistration(form: HTMLFormElement, button: HTMLElement | null): boolean {
  const value = (button as HTMLButtonElement | null)?.value;
  const field = form.querySelector<HTMLInputElement>('input[name="action"]');
  return (value || field?.value) === "register";
}

// Submits natively, so that the browser follows the redirect, even to another origin.
function post(form: HTMLFormElement, response: Record<string, string>): void {
  for (const [name, value] of Object.entries(response)) {
    // The server refuses a field that is posted twice.
    for (const given of form.querySelectorAll(`input[name="${name}"]`)) given.remove();
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    form.append(input);
  }
  HTMLFormElement.prototype.submit.call(form);
}

async function offerAutofill(form: HTMLFormElement): Promise<void> {
  if (!form.querySelector('input[autocomplete$="webauthn"]')) return;
  if (!(await supportsPasskeyAutofill())) return;
  const response = await runPasskeyCeremony({ ...getEndpoint(form), autofill: true });
  post(form, { ...response });
}

/** Connects the form of a sign-in page to authenticators, and reports failures in `status`. */
function activate(form: HTMLFormElement, status: HTMLElement): void {
  // The region is never hidden. A region that appears together with its text may not be announced (WCAG 4.1.3,
  // technique ARIA22).
  const showStatus = (text: string) => {
    status.textContent = text;
  };
  // It is not a failure if a user declines, or if a button press replaces the autofill offer.
  const ignore = () => {};
  const offer = () => void offerAutofill(form).catch(ignore);
  let attempts = 0;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const isNew = isRegistration(form, event.submitter);
    const action = isNew ? "register" : "authenticate";
    const attempt = ++attempts;
    showStatus("");
    runPasskeyCeremony({ ...getEndpoint(form), action, ...(isNew && { fields: getFields(form) }) })
      .then((response) => post(form, { ...response }))
      .catch((error: Error & Partial<PasskeyRefused>) => {
        // A second press has aborted this attempt. Another autofill offer would abort the second attempt.
        if (attempt !== attempts) return;
        // The server requires a sign-in first.
        if (error.url) {
          location.assign(error.url);
          return;
        }
        const isIncomplete = error.name === "PasskeyRefused" && !form.reportValidity();
        if (!isIncomplete) showStatus(status.dataset.failed ?? "");
        offer();
      });
  });

  // A sign-in does not ask for a name. Required fields apply only to a registration.
  form.noValidate = true;
  // A second press asks for the passkey once more.
  form.dataset.again = "";
  form.hidden = false;
  showStatus("");
  offer();
}

// A form of another script, such as one with a captcha, is not a passkey form.
const isOwn = ({ dataset }: HTMLElement): boolean =>
  new URL(dataset.live ?? "", document.baseURI).href === import.meta.url;

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-live]")) {
  const status = form.nextElementSibling as HTMLElement | null;
  if (status && isOwn(form) && supportsPasskeys()) activate(form, status);
}

// A page from the back/forward cache has the state that its script left in the form, and no longer offers passkeys.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
