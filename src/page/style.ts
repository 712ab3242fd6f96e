const LIGHT =
  ":root{color-scheme:light;--page:#f5f6f8;--card:#fff;--text:#14171d;--muted:#5a6170;" +
  "--line:#dcdfe5;--dim:0;--lit:.9;--edge:#7e8694;--field:#fff;--hover:#f4f6f9;--accent:#2353d9;" +
  "--on:#fff;--link:#2353d9;--ring:#2353d9;--bad:#a31919;--bad-bg:#fdf0ef;--note:#1e4795;" +
  "--note-bg:#edf3fe;--shadow:0 1px 2px rgb(20 24 32/.04),0 16px 40px -12px rgb(20 24 32/.12)}";

const DARK =
  ":root{color-scheme:dark;--page:#0d0f13;--card:#171a20;--text:#eff1f5;--muted:#a5acb9;" +
  "--line:#333945;--dim:.34;--lit:1;--edge:#7b8494;--field:#101318;--hover:#21262f;--accent:#86abff;" +
  "--on:#0a1226;--link:#9dbbff;--ring:#9dbbff;--bad:#ffb4b0;--bad-bg:#331b1d;--note:#b9d0ff;" +
  "--note-bg:#18243d;--shadow:0 16px 40px -12px rgb(0 0 0/.5)}";

const LAYOUT = [
  ":root{--tint:color-mix(in srgb,var(--link) 9%,var(--card))}",
  "*,::before,::after{box-sizing:border-box}",
  "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}",
  "body{margin:0;min-height:100vh;min-height:100dvh;padding:40px 16px;display:flex;" +
    "background:var(--page);color:var(--text);overflow-wrap:break-word;font:16px/1.5 system-ui," +
    '-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif}',
  // Auto margins center the card, but keep its top reachable if it is taller than the screen.
  "main{display:flex;flex-direction:column;gap:12px;width:100%;max-width:420px;margin:auto;" +
    "padding:44px 40px 40px;background:var(--card);border:1px solid var(--line);" +
    "border-radius:20px;box-shadow:var(--shadow)}",
  ".site{margin:0 0 -8px;color:var(--muted);font-size:14px;font-weight:500;text-align:center}",
  ".logo{margin:0 auto 10px;max-width:180px;max-height:56px}",
  // White also on a dark page, where a QR code without its own background could not be read.
  ".image{max-width:100%;height:auto;margin:0 auto 10px;padding:12px;background:#fff;border-radius:12px}",
  "h1{margin:0 0 16px;text-align:center;font-size:26px;line-height:1.25;font-weight:680;" +
    "letter-spacing:-.018em;text-wrap:balance}",
  "p{margin:0;text-wrap:pretty}",
  // Arabic letters are joined. Japanese breaks between phrases, Korean between words.
  "[dir=rtl] h1{letter-spacing:0}:lang(ja){word-break:auto-phrase}:lang(ko){word-break:keep-all}",
  ".text{margin:0 0 10px;color:var(--muted);text-align:center;text-wrap:balance}form+.text{margin-top:12px}",
  ".text:focus,.message:focus{outline:0}",
  // The status of a form takes no space while it is empty: the margin removes the gap between two lines.
  ".text:empty{margin:-12px 0 0}",
  // One click selects the whole code.
  ".code{margin:0 0 10px;padding:12px 16px;font:15px/1.7 ui-monospace,Menlo,Consolas,monospace;" +
    "text-align:center;white-space:pre-wrap;overflow-wrap:anywhere;user-select:all;" +
    "background:var(--hover);border-radius:12px}",
  ".emblem{display:grid;place-items:center;width:60px;height:60px;margin:14px auto 6px;" +
    "border-radius:50%;color:var(--link);background:var(--tint)}",
  ".emblem.bad{color:var(--bad);background:var(--bad-bg)}",
  ".emblem .icon{width:28px;height:28px}",
  "[dir=rtl] [data-page=signout] .emblem{transform:scaleX(-1)}",
  ".message{margin:0 0 10px;padding:12px 16px;border:1px solid transparent;border-radius:12px;" +
    "font-size:15px;line-height:1.45}",
  ".error.message{color:var(--bad);background:var(--bad-bg);" +
    "border-color:color-mix(in srgb,var(--bad) 22%,transparent)}",
  ".info.message{color:var(--note);background:var(--note-bg);" +
    "border-color:color-mix(in srgb,var(--note) 18%,transparent)}",
  "label{display:block;margin:0 0 6px;font-size:14px;font-weight:560}",
  ".button+label{margin-top:20px}",
  "input{display:block;width:100%;min-height:48px;margin:0 0 18px;padding:10px 14px;font:inherit;" +
    "color:inherit;background:var(--field);border:1px solid var(--edge);border-radius:12px;" +
    "transition:border-color .15s,box-shadow .15s}",
  // An address is written from left to right, but aligned with the page's other texts.
  "[dir=rtl] input[dir=ltr]{text-align:right}",
  "input::placeholder{color:var(--muted);opacity:1}",
  "input:disabled{color:var(--muted);background:var(--hover);border:1px dashed var(--line);cursor:not-allowed}",
  "input[type=color]{padding:5px}",
  "label.check{display:flex;align-items:center;gap:12px;min-height:44px;margin-bottom:10px;" +
    "font-size:15px;font-weight:400}",
  "label.check input{width:22px;min-height:22px;flex:none;margin:0;padding:0;" +
    "accent-color:var(--accent)}",
  ".button,.grid button{display:flex;align-items:center;justify-content:center;gap:12px;width:100%;" +
    "min-height:48px;padding:10px 16px;font:inherit;font-weight:500;font-size:15px;line-height:1.3;" +
    "text-align:center;text-wrap:balance;overflow-wrap:anywhere;text-decoration:none;cursor:pointer;border-radius:12px;" +
    "border:1px solid transparent;transition:box-shadow .15s,background-color .15s,border-color .15s}",
  ".primary{font-weight:600;color:var(--on);background:var(--accent);border-color:rgb(128 128 128/.3)}",
  ".primary:hover{box-shadow:0 4px 14px -2px rgb(0 0 0/.3)}",
  ".plain,.danger,.grid button{color:var(--text);background:var(--card);border-color:var(--line)}",
  ".plain:hover,.grid button:hover{background:var(--hover);border-color:var(--edge)}",
  // If a form whose script has run comes first, its button is the page's primary one. The background does not fade,
  // because the text does not either and would be unreadable until the background has changed.
  "[data-live]:not([hidden])~form .primary{font-weight:500;color:var(--text);background:var(--card);border-color:var(--line);" +
    "transition-property:box-shadow}",
  ".tint{--rim:color-mix(in srgb,var(--brand,var(--line)) 45%,var(--line))}",
  // Otherwise, a black brand on a dark card, or a white one on a light card, would leave the button without a visible
  // border.
  "@supports(color:oklch(from red l c h)){.tint{--rim:oklch(from " +
    "color-mix(in srgb,var(--brand,var(--line)) 45%,var(--line)) clamp(var(--dim),l,var(--lit)) c h)}}",
  ".plain.tint,.grid .tint{border-color:var(--rim)}",
  ".plain.tint:hover,.grid .tint:hover{background:color-mix(in srgb,var(--brand,var(--text)) 9%,var(--card));" +
    "border-color:color-mix(in srgb,var(--brand,var(--edge)) 55%,var(--edge))}",
  // A double click would post a form twice and show the response to the second post: that the code or link was already
  // used. Pressing a button therefore covers its form for a moment; the press itself passes through the cover. The
  // focus is not used, because a click does not focus a button in Safari, and in Firefox on macOS.
  "form{position:relative}" +
    "form:not([data-again])::after{content:'';position:absolute;inset:0;visibility:hidden;transition:visibility 3s}" +
    "form:valid:has(>button:active)::after{visibility:visible;pointer-events:none;transition:none}",
  // Starts when the pointer enters the page: a press that begins then, such as the second half of a double click, ends
  // on the cover and is not a click. A press on the cover starts it again, since a visitor who goes on clicking has not
  // seen the page.
  "@media(hover:hover){.slow::before{content:'';position:absolute;inset:0;visibility:hidden}html:hover .slow::before{animation:slow .5s}" +
    ".slow:active:not(:has(:active))::before{animation:none;visibility:visible}}" +
    "@keyframes slow{from,to{visibility:visible}}",
  ".second{margin-top:12px}",
  ".danger{color:var(--bad)}",
  ".danger:hover{background:var(--bad-bg);border-color:var(--bad)}",
  // The label is centered on the whole button, not on the space next to the icon.
  ".icon{display:block;flex:none;width:22px;height:22px;object-fit:contain}",
  ".mark{display:grid;place-items:center;flex:none;width:24px;height:24px;border-radius:7px;" +
    "font-size:13px;font-weight:700;line-height:1;color:var(--card);background:var(--muted);" +
    "box-shadow:inset 0 0 0 1px rgb(128 128 128/.35)}",
  // The empty alternative text keeps the drawn letter out of the button's name. Older browsers use the first
  // declaration.
  ".mark::before{content:attr(data-initial);content:attr(data-initial)/''}",
  ".provider>*{margin-inline-end:auto}",
  // The spacer shrinks before the label wraps.
  ".provider::after{content:'';flex:0 99999 22px}",
  ".more>summary{list-style:none;color:var(--muted)}",
  ".more>summary::-webkit-details-marker{display:none}",
  ".more>summary::after{content:'';width:8px;height:8px;margin-top:-4px;border:solid;" +
    "border-width:0 2px 2px 0;transform:rotate(45deg)}",
  ".more[open]>summary::after{margin-top:4px;transform:rotate(225deg)}",
  ".more[open]>summary{margin-bottom:12px}",
  "details.more .text{margin:0 0 16px;text-align:start}",
  ".grid{display:grid;grid-template-columns:1fr 1fr;gap:8px}",
  ".grid button{justify-content:flex-start;gap:10px;padding:8px 12px;min-width:0;font-size:15px;" +
    "text-align:start}",
  ".grid span:last-child{min-width:0}",
  // Selected by type, because hidden fields come before the buttons.
  ".grid button:last-child:nth-child(odd of button){grid-column:1/-1}",
  "a{color:var(--link);text-underline-offset:3px}",
  ".link{text-align:center}",
  ".link:last-child{margin-bottom:-14px}",
  ".link+.link{margin-top:-12px}",
  ".link a{display:inline-block;min-width:48px;padding:11px 12px;border-radius:8px;font-weight:500;font-size:15px;" +
    "text-decoration-color:color-mix(in srgb,currentColor 35%,transparent)}",
  ".link a:hover{text-decoration-color:currentColor}",
  ".divider{display:flex;align-items:center;gap:14px;margin:10px 0;color:var(--muted);" +
    "font-size:14px}",
  ".divider::before,.divider::after{content:'';flex:1;border-top:1px solid var(--line)}",
  "hr{width:100%;margin:10px 0;border:0;border-top:1px solid var(--line)}",
  ":focus-visible{outline:2px solid var(--ring);outline-offset:2px}",
  "input:focus-visible{outline-offset:-1px;border-color:var(--ring);" +
    "box-shadow:0 0 0 4px color-mix(in srgb,var(--ring) 18%,transparent)}",
  "@media(prefers-reduced-motion:reduce){*{transition:none!important}}",
  "@media(forced-colors:active){.button,.grid button,.code,.message,main,.tile,.emblem,.badge{border:1px solid CanvasText!important}" +
    "input:disabled{color:GrayText;border-color:GrayText}}",
  "@media(prefers-contrast:more){:root{--line:var(--edge);--muted:var(--text)}}",
].join("");

/** Rules for pages with sections, such as the account page. */
const WIDE = [
  "main.wide{max-width:680px;gap:0}",
  ".wide .site,.wide h1{text-align:start}",
  ".wide .logo{margin-inline:0;align-self:flex-start}",
  ".wide h1{margin-top:20px}",
  ".wide .text{margin:16px 0 0;text-align:start}.wide .text:empty{margin:0}",
  ".muted{color:var(--muted);font-size:14px}",
  ".person{display:flex;align-items:center;gap:16px;margin:0 0 24px}",
  ".person p{display:flex;flex-direction:column;min-width:0}",
  ".person strong{font-size:18px;font-weight:620}",
  ".face{flex:none;width:56px;height:56px;border-radius:50%;object-fit:cover}",
  ".face .mark{width:100%;height:100%;border-radius:50%;font-size:22px;font-weight:600;" +
    "color:var(--link);background:var(--tint);box-shadow:none}",
  "section{padding:28px 0;border-top:1px solid var(--line)}",
  "section:last-of-type{padding-bottom:16px}",
  "h2{margin:0 0 4px;font-size:17px;line-height:1.35;font-weight:640}",
  "section>*+*{margin-top:12px}",
  "h2+.muted{margin-top:0}",
  ".list{list-style:none;margin-bottom:0;padding:0;border:1px solid var(--line);border-radius:14px}",
  ".list li{display:flex;align-items:center;gap:14px;padding:12px 16px;min-height:68px}",
  ".list li+li{border-top:1px solid var(--line)}",
  ".list div{display:flex;flex-direction:column;flex:1;min-width:0;font-weight:500}",
  ".list .muted{font-weight:400}",
  ".tile{display:grid;place-items:center;flex:none;width:40px;height:40px;border-radius:10px;" +
    "background:var(--hover)}",
  ".badge{display:inline-block;margin-inline-start:6px;padding:1px 8px;border-radius:99px;" +
    "font-size:12px;font-weight:600;color:var(--note);background:var(--note-bg)}",
  ".small{width:auto;min-height:44px;padding:8px 14px;font-size:14px;border-radius:10px;overflow-wrap:inherit}",
  ".wide>form>.button,.wide section>form>.button,.wide section>.button{width:fit-content;padding-inline:20px}",
  ".wide>.link{text-align:start;margin-inline-start:-12px}",
].join("");

const MOBILE =
  "@media(max-width:479px){body{padding:0;background:var(--card)}main,main.wide{max-width:480px;" +
  "margin:0 auto;padding:48px 20px 32px;border:0;border-radius:0;box-shadow:none}.list li{padding:12px}}" +
  "@media(max-width:339px){h1{font-size:24px}.code{padding-inline:4px}.grid{grid-template-columns:1fr}.list li{flex-wrap:wrap}" +
  ".list div{flex-basis:140px}.list form{margin-inline-start:auto}}";

/** The style sheet of pages, by color scheme. Printed pages, such as recovery codes, are on white paper. */
export const STYLE: Readonly<Record<string, string>> = {
  auto: `${LIGHT}@media screen and (prefers-color-scheme:dark){${DARK}}${LAYOUT}${MOBILE}`,
  light: LIGHT + LAYOUT + MOBILE,
  dark: `${LIGHT}@media screen{${DARK}}${LAYOUT}${MOBILE}`,
};

/** Additional rules for pages with sections. */
export const SECTION_STYLE: string = WIDE + MOBILE;

/** The content of the `color-scheme` meta element, by color scheme. */
export const SCHEMES: Readonly<Record<string, string>> = {
  auto: "light dark",
  light: "light",
  dark: "dark",
};
