const LIGHT =
  ":root{color-scheme:light;--page:#f3f4f7;--card:#fff;--text:#15181e;--muted:#565d6b;" +
  "--line:#d5d9e0;--edge:#7e8694;--field:#fff;--hover:#f3f5f9;--accent:#2353d9;--on:#fff;" +
  "--link:#2353d9;--ring:#2353d9;--bad:#9b1c1c;--bad-bg:#fdeeee;--note:#1e4795;" +
  "--note-bg:#edf3fe;--shadow:0 1px 2px rgb(20 24 32/.05),0 12px 32px rgb(20 24 32/.07)}";

const DARK =
  ":root{color-scheme:dark;--page:#0e1014;--card:#181b21;--text:#eef0f4;--muted:#a4abb8;" +
  "--line:#343a45;--edge:#7b8494;--field:#101318;--hover:#232832;--accent:#86abff;--on:#0a1226;" +
  "--link:#9dbbff;--ring:#9dbbff;--bad:#ffb4b0;--bad-bg:#351a1c;--note:#b9d0ff;" +
  "--note-bg:#18243d;--shadow:none}";

const LAYOUT = [
  "*,::before,::after{box-sizing:border-box}",
  "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}",
  "body{margin:0;min-height:100vh;min-height:100dvh;padding:32px 16px;display:flex;" +
    "background:var(--page);color:var(--text);overflow-wrap:break-word;font:16px/1.5 system-ui," +
    '-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif}',
  // Auto margins centre, yet leave the top reachable when the card is taller than the screen.
  "main{display:flex;flex-direction:column;gap:12px;width:100%;max-width:408px;margin:auto;" +
    "padding:40px 36px;background:var(--card);border:1px solid var(--line);border-radius:18px;" +
    "box-shadow:var(--shadow)}",
  ".site{margin:0 0 -10px;color:var(--muted);font-size:14px;text-align:center}",
  ".logo{margin:0 auto 8px;max-width:180px;max-height:64px}",
  "h1{margin:0 0 14px;text-align:center;font-size:25px;line-height:1.25;font-weight:650;" +
    "letter-spacing:-.015em;text-wrap:balance}",
  "p{margin:0;text-wrap:pretty}",
  ".text{margin:0 0 10px;color:var(--muted);text-align:center;text-wrap:balance}",
  ".message{margin:0 0 10px;padding:12px 16px;border:1px solid transparent;" +
    "border-inline-start:4px solid;border-radius:10px;font-size:15px}",
  ".error.message{color:var(--bad);background:var(--bad-bg)}",
  ".info.message{color:var(--note);background:var(--note-bg)}",
  "label{display:block;margin:0 0 6px;font-size:15px;font-weight:550}",
  "input{display:block;width:100%;min-height:46px;margin:0 0 18px;padding:9px 13px;font:inherit;" +
    "color:inherit;background:var(--field);border:1px solid var(--edge);border-radius:10px}",
  "input::placeholder{color:var(--muted);opacity:1}",
  "input[type=color]{padding:5px}",
  "label.check{display:flex;align-items:center;gap:12px;min-height:44px;margin-bottom:10px}",
  "label.check input{width:22px;min-height:22px;flex:none;margin:0;padding:0;" +
    "accent-color:var(--accent)}",
  ".button{display:flex;align-items:center;justify-content:center;gap:12px;width:100%;" +
    "min-height:48px;padding:10px 16px;font:inherit;font-weight:600;line-height:1.3;" +
    "text-align:center;text-decoration:none;cursor:pointer;border-radius:10px;" +
    "border:1px solid transparent;transition:box-shadow .15s,background-color .15s}",
  ".primary{color:var(--on);background:var(--accent);border-color:rgb(128 128 128/.35)}",
  ".primary:hover{box-shadow:0 3px 10px rgb(0 0 0/.28)}",
  ".plain,.second{color:var(--text);background:var(--card);border-color:var(--line)}",
  ".second{margin-top:12px}",
  ".plain:hover,.second:hover{background:var(--hover);border-color:var(--edge)}",
  // The label is centred on the button, not on what the mark leaves of it.
  ".mark{display:grid;place-items:center;flex:none;width:28px;height:28px;margin-inline-end:auto;" +
    "border-radius:7px;font-size:15px;font-weight:700;line-height:1;color:var(--card);" +
    "background:var(--muted);box-shadow:inset 0 0 0 1px rgb(128 128 128/.4)}",
  ".mark+span{margin-inline-end:auto}",
  // It gives way before the label is wrapped.
  ".plain::after{content:'';flex:0 99999 28px}",
  "a{color:var(--link);text-underline-offset:3px}",
  ".link{text-align:center}",
  ".link:last-child{margin-bottom:-10px}",
  ".link a{display:inline-block;padding:10px 12px;font-weight:550}",
  ".divider{display:flex;align-items:center;gap:14px;margin:10px 0;color:var(--muted);" +
    "font-size:14px}",
  ".divider::before,.divider::after{content:'';flex:1;border-top:1px solid var(--line)}",
  "hr{width:100%;margin:10px 0;border:0;border-top:1px solid var(--line)}",
  ":focus-visible{outline:3px solid var(--ring);outline-offset:2px}",
  "input:focus-visible{outline-offset:0;border-color:transparent}",
  "@media(max-width:479px){body{padding:0;background:var(--card)}main{max-width:440px;" +
    "margin:0 auto;padding:48px 20px 32px;border:0;border-radius:0;box-shadow:none}}",
  "@media(prefers-reduced-motion:reduce){*{transition:none!important}}",
  "@media(forced-colors:active){.button,.message,main{border-color:CanvasText}}",
].join("");

/** The pages' style sheet by colour scheme. */
export const STYLE: Readonly<Record<string, string>> = {
  auto: `${LIGHT}@media(prefers-color-scheme:dark){${DARK}}${LAYOUT}`,
  light: LIGHT + LAYOUT,
  dark: DARK + LAYOUT,
};

/** What the `color-scheme` meta element says, by colour scheme. */
export const SCHEMES: Readonly<Record<string, string>> = {
  auto: "light dark",
  light: "light",
  dark: "dark",
};
