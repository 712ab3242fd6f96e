// Everything works without this file; it only saves a page from being loaded anew.
const card = document.querySelector("[data-session]");
const at = (name) => document.querySelector(`[data-${name}]`);

function left(expires) {
  const seconds = Math.max(0, Math.round((Date.parse(expires) - Date.now()) / 1000));
  if (seconds === 0) return "now";
  const parts = [Math.floor(seconds / 60), seconds % 60];
  return `in ${parts.map((part) => String(part).padStart(2, "0")).join(":")}`;
}

function tick() {
  const time = at("expires");
  time.textContent = left(time.dateTime);
}

async function showEvents() {
  const response = await fetch("/");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  at("events").replaceWith(page.querySelector("[data-events]"));
}

function show(session) {
  // Signed out meanwhile: the whole page is another one.
  if (!session) return location.reload();
  at("expires").dateTime = session.expires;
  at("name").textContent = session.nickname ?? session.user.name ?? session.user.email;
  at("json").textContent = JSON.stringify(session, null, 2);
  tick();
}

function tell(text, isBad) {
  at("told").textContent = text;
  at("told").className = isBad ? "message bad" : "quiet";
}

async function refresh() {
  const response = await fetch("/auth/session");
  show(await response.json());
  await showEvents();
}

async function update(nickname) {
  const response = await fetch("/auth/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ csrfToken: card.dataset.csrf, data: { nickname } }),
  });
  const session = await response.json();
  show(session);
  const isTaken = session?.nickname === nickname;
  tell(
    isTaken
      ? "Taken: it is in the session now."
      : "That nickname was refused: the jwt callback takes up to 24 letters.",
    !isTaken,
  );
  await showEvents();
}

if (card) {
  tick();
  setInterval(tick, 1000);
  // What goes wrong here, the page itself can tell better.
  const giveUp = () => location.reload();
  at("refresh").addEventListener("click", (event) => {
    event.preventDefault();
    refresh().catch(giveUp);
  });
  at("nickname").addEventListener("submit", (event) => {
    event.preventDefault();
    update(document.querySelector("#nickname").value.trim()).catch(giveUp);
  });
}
