import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Block, Field, Form, Page, Theme } from "../../src/kernel.ts";
import { pageHeaders } from "../../src/page/headers.ts";
import { renderPage } from "../../src/page/render.ts";
import { rounds } from "../_scale.ts";
import { all, only, parse } from "../pages/_parse.ts";

const nonce = "c2VjcmV0X25vbmNl";
const base = "https://app.example/auth";

function render(page: Partial<Page>, theme: Theme = {}) {
  return renderPage(
    { name: "signin", title: "Sign In", blocks: [], ...page },
    { theme, nonce, base, translator: { language: "en", direction: "ltr" } },
  );
}

const parsed = (page: Partial<Page>, theme?: Theme) => parse(render(page, theme));
const form = (values: Partial<Form> = {}, provider?: string): Block => ({
  kind: "form",
  form: { action: "/auth/signin/x", submit: "Go", ...values },
  ...(provider !== undefined && { provider }),
});
const field = (values: Partial<Field>): Block => form({ fields: [{ name: "x", ...values }] }, "p");
const getInput = (values: Partial<Field>) => only(parsed({ blocks: [field(values)] }), "input");

describe("escaping in renderPage()", () => {
  const nasty = fc.oneof(
    fc.constantFrom(
      ...[
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "' onfocus='a()",
        "</style>",
      ],
      ...[
        "</title><script>",
        "<!--",
        "-->",
        "&lt;",
        "&amp;quot;",
        "`",
        "]]>",
        "\u0000",
        "a\r\nb: c",
      ],
    ),
    fc.string({ unit: fc.constantFrom(...`<>"'&;\`=/! -a#39lt`) }),
    fc.string({ unit: "binary" }),
  );

  const buildPage = (texts: readonly string[]): Page => {
    let at = 0;
    const next = () => texts[at++ % texts.length]!;
    return {
      name: next(),
      title: next(),
      heading: next(),
      message: { tone: "error", text: next() },
      blocks: [
        form({ submit: next(), hidden: { a: next() } }, `p${next()}`),
        { kind: "divider", text: `-${next()}` },
        form(
          {
            id: `f${next()}`,
            submit: next(),
            fields: [
              {
                name: next(),
                label: next(),
                type: "email",
                value: `v${next()}`,
                attributes: { placeholder: next(), autocomplete: next(), "data-x": next() },
              },
            ],
          },
          `p${next()}`,
        ),
        { kind: "text", text: next() },
        { kind: "code", text: next() },
        { kind: "link", text: next(), href: "/" },
        { kind: "link", text: next(), href: "/", button: true },
      ],
    };
  };

  it("no printed text changes the structure of the document", () => {
    const getShape = (page: Page) =>
      parsed(page).tags.map(({ name, attributes }) => [name, Object.keys(attributes)]);
    const expected = getShape(buildPage(["benign"]));
    fc.assert(
      fc.property(fc.array(nasty, { minLength: 1, maxLength: 20 }), (texts) => {
        expect(getShape(buildPage(texts))).toEqual(expected);
      }),
      { numRuns: rounds(500) },
    );
  });

  it("every value is escaped exactly once", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const markup = parsed({
          message: { tone: "info", text: `m${text}` },
          blocks: [
            form({ hidden: { [`n${text}`]: text }, submit: `s${text}` }),
            { kind: "text", text: `t${text}` },
          ],
        });
        expect(only(markup, "input")).toMatchObject({ name: `n${text}`, value: text });
        for (const mark of "mst") expect(markup.texts).toContain(mark + text);
      }),
      { numRuns: rounds(200) },
    );
  });

  it("values of a wrong type are escaped or left out", () => {
    const wrong = { toString: () => "<script>" } as unknown as string;
    const page = { blocks: [{ kind: "text", text: wrong }, { kind: "x" } as unknown as Block] };
    expect(render(page as Partial<Page>)).not.toContain("<script>");
    expect(getInput({ value: 5 as unknown as string }).value).toBe("5");
  });
});

describe("attributes of form fields", () => {
  it("allowed attributes of a field are printed, in any letter case", () => {
    expect(
      getInput({
        attributes: {
          autoComplete: "username webauthn",
          maxLength: 9,
          required: true,
          disabled: false,
          readonly: undefined,
          "data-form-field": true,
          "aria-invalid": false,
          spellcheck: false,
          min: 0,
        },
      }),
    ).toMatchObject({
      autocomplete: "username webauthn",
      maxlength: "9",
      required: "",
      "data-form-field": "true",
      "aria-invalid": "false",
      spellcheck: "false",
      min: "0",
    });
    expect(getInput({ attributes: { disabled: false } })).not.toHaveProperty("disabled");
  });

  it("a field has the attributes that its type and name require, unless its own attributes differ", () => {
    const ofEmail = { autocapitalize: "none", spellcheck: "false", dir: "ltr" };
    expect(getInput({ type: "email" })).toMatchObject({ ...ofEmail, autocomplete: "email" });
    const attributes = { ...ofEmail, autocapitalize: "words", spellcheck: "true", dir: "rtl" };
    expect(getInput({ type: "email", attributes })).toMatchObject(attributes);
    const own = { autocomplete: "new-password" };
    expect(getInput({ type: "password", attributes: own })).toMatchObject(own);
    expect(parsed({ blocks: [field({ name: "color" })] }).texts).toContain("color");
  });

  it("other attributes of a field are left out", () => {
    const before = Object.keys(getInput({}));
    const attributes: Field["attributes"] = {};
    for (const name of [
      ...["onclick", "ONFOCUS", "style", "form", "formaction", "formmethod", "src", "nonce"],
      ...["class", "name", "type", "value", "list", "slot", "is", "popovertarget", "href"],
      ...["a b", 'x"y', "x>y", "data-x onfocus", "aria-x=", "", "__proto__", "constructor"],
    ]) {
      Object.defineProperty(attributes, name, { value: "1", enumerable: true });
    }
    expect(Object.keys(getInput({ attributes }))).toEqual(before);
  });

  it("a field's type is text if it is not a type for text or a choice", () => {
    expect(getInput({ type: "tel" }).type).toBe("tel");
    for (const type of ["submit", "image", "button", "reset", "file", "toString", 'x" autofocus']) {
      expect(getInput({ type }).type).toBe("text");
    }
  });
});

describe("URLs in a page", () => {
  const good = [
    ...["https://idp.example/a?b=c&d", "http://localhost:3000", "/a/b", "#here", "?q=1", "a/b"],
    ...["//cdn.example/x", "../up"],
  ];
  const bad = [
    ...[
      "javascript:alert(1)",
      " JaVaScRiPt:alert(1)",
      "java\tscript:alert(1)",
      "\u0001javascript:1",
    ],
    ...[
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "blob:https://x/y",
      "myapp://x",
      " https://[",
    ],
  ];

  it.each(good)("keeps the URL %j", (url) => {
    const markup = parsed({
      blocks: [form({ action: url }), { kind: "link", text: "x", href: url }],
    });
    expect(only(markup, "form").action).toBe(url);
    expect(only(markup, "a").href).toBe(url);
    expect(only(parsed({}, { logo: url }), "img").src).toBe(url);
  });

  it.each(bad)("drops the URL %j", (url) => {
    const blocks: Block[] = [
      form({ action: url }),
      { kind: "link", text: "one", href: url },
      { kind: "link", text: "two", href: url, button: true },
    ];
    const markup = parsed({ blocks }, { logo: url });
    for (const name of ["form", "a", "img"]) expect(all(markup, name)).toEqual([]);
    // The link's text is kept, because the reader may need it.
    expect(markup.texts).toEqual(expect.arrayContaining(["one", "two"]));
  });

  it("a link opens a new tab if it should, and that tab cannot access the page", () => {
    const link: Block = { kind: "link", text: "x", href: "/" };
    expect(only(parsed({ blocks: [link] }), "a")).toEqual({ href: "/" });
    const tab = only(parsed({ blocks: [{ ...link, newTab: true }] }), "a");
    expect(tab).toMatchObject({ target: "_blank", rel: "noopener" });
  });

  it.each(["otpauth://totp/Acme:ada?secret=ABC&issuer=Acme", "OTPAUTH://HOTP/x?counter=1"])(
    "a link may open an authenticator app: %s",
    (url) => {
      const blocks: Block[] = [form({ action: url }), { kind: "link", text: "Set up", href: url }];
      const markup = parsed({ blocks }, { logo: url });
      expect(only(markup, "a").href).toBe(url);
      for (const name of ["form", "img"]) expect(all(markup, name)).toEqual([]);
    },
  );

  it.each([
    "otpauth://evil/x",
    "otpauth:totp/x",
    "otpauth-migration://offline",
    "otpauth://totp/a b",
    "javascript:otpauth://totp/a",
  ])("drops the URL %j of a link that no authenticator app can read", (url) => {
    expect(all(parsed({ blocks: [{ kind: "link", text: "x", href: url }] }), "a")).toEqual([]);
  });

  it("the logo may be an image as a data URL, but no other data URL", () => {
    const logo = "data:image/svg+xml,%3Csvg/%3E";
    expect(only(parsed({}, { logo }), "img")).toMatchObject({ src: logo, alt: "app.example" });
    expect(all(parsed({}, { logo: "data:text/html,x" }), "img")).toEqual([]);
  });
});

describe("colors of buttons", () => {
  const styleWith = (color: string) => parsed({ blocks: [form({ color })] }).style;
  const plain = parsed({ blocks: [form()] }).style;

  it.each(["#abc", "#12345678", "rgb(1, 2, 3)", "rgba(1 2 3 / 50%)", "hsl(120 50% 50%)", "tomato"])(
    "paints a button with the color %s",
    (color) => expect(styleWith(color)).toContain(`{background:${color};color:`),
  );

  it.each([
    ...["red;}body{display:none", "url(https://evil.example)", "#12", "#ggg", "var(--x)", "rgb(1"],
    ...[
      "</style><script>",
      "red}",
      "expression(1)",
      "rgb(calc(1))",
      "#abc/**/",
      "",
      "a-b",
      "\\72 ed",
    ],
  ])("ignores the color %j", (color) => {
    expect(styleWith(color)).toBe(plain);
    const theme = { brandColor: color, buttonText: color };
    expect(parsed({ blocks: [form()] }, theme).style).toBe(plain);
  });

  it("the text on a color is black or white, whichever contrasts more", () => {
    expect(styleWith("#fffc00")).toContain("background:#fffc00;color:#000");
    expect(styleWith("#24292f")).toContain("background:#24292f;color:#fff");
    expect(styleWith("#777")).toContain("color:#000");
    expect(styleWith("#767676")).toContain("color:#fff");
    expect(styleWith("#667d66")).toContain("color:#000");
  });

  it("buttons use the theme's colors, and a form's own color first", () => {
    const theme = { brandColor: "#123456", buttonText: "#fedcba" };
    expect(parsed({ blocks: [form()] }, theme).style).toContain(
      "{background:#123456;color:#fedcba}",
    );
    const link: Block = { kind: "link", href: "/", text: "x", button: true };
    expect(parsed({ blocks: [link] }, theme).style).toContain("background:#123456");
    expect(parsed({ blocks: [form({ color: "#000" })] }, theme).style).not.toContain(
      "background:#123456",
    );
    expect(parsed({ blocks: [form()] }, { buttonText: "gold" }).style).toContain(
      "{background:#2353d9;color:gold}",
    );
  });

  it("an unknown color name applies only where the browser supports it", () => {
    expect(styleWith("foobar")).toContain("@supports(color:foobar){");
    const edge = parsed({ blocks: [form({ color: "foobar" }, "acme")] }).style;
    expect(edge).toMatch(/@supports\(color:foobar\)\{\.c\d+\{--brand:foobar/);
  });

  it("forms of the same color share one class", () => {
    const blocks = ["a", "b", "c"].map((id) => form({ color: "#123456" }, id));
    expect(render({ blocks }).split("background:#123456")).toHaveLength(2);
  });
});

describe("provider logos and icons", () => {
  const listImages = (logo: unknown) => {
    const markup = parsed({ blocks: [form({ logo: logo as string, color: "#123456" }, "acme")] });
    return all(markup, "img").map(({ src }) => src);
  };

  it.each(["/acme.svg", "./acme.svg", "../a/acme.svg", "data:image/svg+xml,%3Csvg/%3E"])(
    "renders a provider logo of the same origin: %s",
    (logo) => expect(listImages(logo)).toEqual([logo]),
  );

  it.each([
    ...["https://cdn.example/acme.svg", "//cdn.example/acme.svg", "http:acme.svg"],
    ...["/\\cdn.example/x", "javascript:x", "data:text/html,x", "acme.svg", "", 5, null],
  ])("does not render a provider logo of another origin or scheme: %s", (logo) => {
    expect(listImages(logo)).toEqual([]);
  });

  it("an icon's shapes contain only path data and plain fills", () => {
    const icon = [
      { d: "M0 0L1e1-.5z", fill: "#f00" },
      { d: 'M0 0"/><script>', fill: "#f00" },
      { d: "M1 1z", fill: "url(https://evil.example)" },
    ];
    const markup = parsed({ blocks: [form({ icon }, "acme")] });
    expect(all(markup, "path")).toEqual([
      { fill: "#f00", d: "M0 0L1e1-.5z" },
      { fill: "currentColor", d: "M1 1z" },
    ]);
  });
});

describe("colors derived from the brand color", () => {
  it("no colors are derived without a valid brand color", () => {
    expect(parsed({}).style).not.toContain("--link:oklch");
    expect(parsed({}, { brandColor: "nothing;}" }).style).not.toContain("--link:oklch");
  });

  it("colors are derived for the theme's color scheme, or for both", () => {
    const style = (colorScheme: "auto" | "light" | "dark") =>
      parsed({}, { brandColor: "#0a7d5a", colorScheme }).style;
    expect(style("light")).toContain("min(l,.5)");
    expect(style("light")).not.toContain("max(l,.78)");
    // The light color is printed.
    expect(style("dark")).toMatch(/min\(l,\.5\).*@media screen\{[^@]*@supports[^@]*max\(l,\.78\)/s);
    expect(style("auto")).toMatch(/min\(l,\.5\).*prefers-color-scheme:dark.*max\(l,\.78\)/s);
  });

  it("the theme's button text is replaced when it is unreadable on the brand color", () => {
    const style = (brandColor: string, buttonText: string) =>
      parsed({ blocks: [form()] }, { brandColor, buttonText }).style;
    expect(style("#ffd400", "#fff")).toContain("background:#ffd400;color:#000");
    expect(style("#808080", "#fff")).toContain("background:#808080;color:#000");
    expect(style("#123456", "#fff")).toContain("background:#123456;color:#fff");
    // A color that only the browser can compute is the application's responsibility.
    expect(style("#123456", "gold")).toContain("color:gold");
    expect(style("tomato", "#fff")).not.toContain("color(from tomato");
  });
});

describe("the document of renderPage()", () => {
  const full: Block[] = [
    form({ color: "#24292f" }, "github"),
    { kind: "divider", text: "or" },
    form({ fields: [{ name: "email", label: "Email", type: "email" }] }, "email"),
    { kind: "divider" },
    form(
      {
        hidden: { csrfToken: "t", callbackUrl: undefined },
        fields: [
          { name: "username", label: "Username" },
          { name: "password", type: "password" },
          { name: "remember", type: "checkbox", label: "Stay signed in" },
          { name: "flow", type: "hidden", value: "1" },
        ],
      },
      "credentials",
    ),
  ];

  it("the document is complete and has one heading", () => {
    const markup = parsed({ heading: "Welcome", blocks: full });
    expect(only(markup, "html")).toEqual({ lang: "en" });
    for (const name of ["title", "main", "h1", "style"]) only(markup, name);
    expect(all(markup, "meta")).toContainEqual({
      name: "viewport",
      content: "width=device-width, initial-scale=1",
    });
    expect(all(markup, "meta")).toContainEqual({ name: "robots", content: "noindex" });
    expect(markup.texts).toEqual(expect.arrayContaining(["Sign In", "Welcome", "app.example"]));
    expect(parsed({}).texts.filter((text) => text === "Sign In")).toHaveLength(2);
  });

  it("the document has no script, inline style, event handler or remote asset", () => {
    const markup = parsed({ blocks: full, message: { tone: "error", text: "x" } });
    for (const { name, attributes } of markup.tags) {
      expect(["script", "link", "iframe", "base", "object"]).not.toContain(name);
      for (const key of Object.keys(attributes)) expect(key).not.toMatch(/^(on|style$|src$)/);
    }
    expect(markup.style).not.toMatch(/url\(|@import|http/);
  });

  it("every visible input has a label, and all ids are unique", () => {
    const twice = parsed({ blocks: [...full, ...full, form({ id: "f" }), form({ id: "f" })] });
    const ids = twice.tags.flatMap(({ attributes }) => attributes.id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const visible = all(twice, "input").filter(({ type }) => type !== "hidden");
    expect(all(twice, "label").map((label) => label.for)).toEqual(visible.map(({ id }) => id));
  });

  it("forms and fields keep the names, ids and methods that clients know", () => {
    const markup = parsed({ blocks: full });
    expect(all(markup, "form")).toEqual(
      Array.from({ length: 3 }, () => ({ action: "/auth/signin/x", method: "post" })),
    );
    expect(all(markup, "input").map(({ id, name }) => id ?? name)).toEqual([
      "input-email-for-email-provider",
      "csrfToken",
      "input-username-for-credentials-provider",
      "input-password-for-credentials-provider",
      "input-remember-for-credentials-provider",
      "flow",
    ]);
    expect(all(markup, "button").map(({ id }) => id)).toEqual([
      undefined,
      "submitButton",
      "submitButton-credentials",
    ]);
    expect(only(parsed({ blocks: [form({ id: "passkey-form" })] }), "form").id).toBe(
      "passkey-form",
    );
    expect(getInput({ attributes: { id: "mine" } }).id).toBe("mine");
    expect(getInput({ name: "my field" }).id).toBe("input-my-field-for-p-provider");
  });

  it("a button of a grid with its own hidden fields posts only these", () => {
    const button = (target: string) => form({ hidden: { callbackUrl: target } }, target);
    const blocks = [button("/a"), button("/b")];
    const markup = parsed({ blocks: [{ kind: "grid", blocks }] });
    expect(all(markup, "form")).toHaveLength(2);
    expect(all(markup, "input").map(({ value }) => value)).toEqual(["/a", "/b"]);
  });

  it("only the button whose action is not safe is left out, in a grid and in a list", () => {
    const bad = "javascript:alert(1)";
    const grid = (...actions: string[]): Block => ({
      kind: "grid",
      blocks: actions.map((action, at) => form({ action, submit: `Button ${at}` }, "p")),
    });
    for (const actions of [
      [bad, "/a", "/b"],
      ["/a", bad, "/b"],
    ]) {
      const markup = parsed({ blocks: [grid(...actions)] });
      expect(only(markup, "form").action).toBe("/a");
      expect(all(markup, "button").map(({ formaction }) => formaction)).toEqual(["/a", "/b"]);
    }
    const row: Form = { action: bad, submit: "Remove" };
    const list: Block = { kind: "list", items: [{ title: "Row", form: row }] };
    for (const block of [grid(bad), list])
      expect(all(parsed({ blocks: [block] }), "form")).toEqual([]);
  });

  it("a button with a short text has the full text for screen readers", () => {
    const look = { submit: "Sign in with Acme", short: "Acme" };
    const blocks: Block[] = [
      { kind: "grid", blocks: [form(look, "acme")] },
      { kind: "list", items: [{ title: "Row", form: { action: "/", ...look } }] },
    ];
    const labels = all(parsed({ blocks }), "button").map((button) => button["aria-label"]);
    expect(labels).toEqual([look.submit, look.submit]);
  });

  it("a form with a script is hidden until the script has run, and a text is shown instead", () => {
    const src = `${base}/x.js`;
    const script = { src, integrity: "sha256-x", fallback: "No script", failure: "It failed" };
    const markup = parsed({ blocks: [form({ script })] });
    // The script finds its own forms by the URL.
    expect(only(markup, "form")).toMatchObject({ hidden: "", "data-live": src });
    expect(markup.texts).toContain("No script");
    expect(all(markup, "p").at(-1)).toMatchObject({ role: "status", "data-failed": "It failed" });
  });

  it("a form with a script also ignores accidental clicks (`deliberate`)", () => {
    const script = { src: `${base}/x.js`, integrity: "sha256-x", fallback: "", failure: "" };
    const classes = [{ deliberate: true }, { deliberate: true, script }, { script }].map(
      (more) => only(parsed({ blocks: [form(more)] }), "form").class,
    );
    expect(classes).toEqual(["slow", "slow", undefined]);
  });

  it("inputs have the autocomplete tokens that password managers expect", () => {
    const tokens = all(parsed({ blocks: full }), "input").map((input) => input.autocomplete);
    expect(tokens).toEqual([
      "email",
      undefined,
      "username",
      "current-password",
      undefined,
      undefined,
    ]);
    const both = form({
      fields: [
        { name: "email", type: "email" },
        { name: "password", type: "password" },
      ],
    });
    expect(all(parsed({ blocks: [both] }), "input")[0]?.autocomplete).toBe("username");
  });

  it("a block of code keeps its line breaks, and runs from left to right in every language", () => {
    const document = render({ blocks: [{ kind: "code", text: "ABCD EFGH\n<b>" }] });
    expect(document).toContain('<pre class="code" dir="ltr">ABCD EFGH\n&lt;b&gt;</pre>');
  });

  it("a person is shown by name and address, each once, and isolated from a right-to-left page", () => {
    const show = (person: { name?: string; email?: string }) => {
      const markup = parsed({ blocks: [{ kind: "person", ...person }] });
      return [markup.texts.filter((text) => /ada/i.test(text)), all(markup, "bdi").length - 1];
    };
    const email = "ada@example.com";
    expect(show({ name: "Ada", email })).toEqual([["Ada", email], 2]);
    expect(show({ email })).toEqual([[email], 1]);
    expect(show({ name: "Ada" })).toEqual([["Ada"], 1]);
  });

  it("a text in another language has its `lang` and its own direction", () => {
    const show = (language?: string) => {
      const block: Block = { kind: "text", text: "Hi!", ...(language && { language }) };
      return all(parsed({ blocks: [block] }), "p").at(-1);
    };
    expect(show("en")).toMatchObject({ lang: "en", dir: "auto" });
    expect(show()).toEqual({ class: "text" });
  });

  it("a section shows its text, and isolates the titles of its list from adjacent text", () => {
    const blocks: Block[] = [{ kind: "list", items: [{ title: "GitHub", badge: "new" }] }];
    const section: Block = { kind: "section", name: "s", heading: "S", text: "About", blocks };
    const markup = parsed({ blocks: [section] });
    expect(markup.texts).toEqual(expect.arrayContaining(["S", "About", "GitHub", "new"]));
    // The other `bdi` is around the host.
    expect(all(markup, "bdi")).toHaveLength(2);
  });

  it("an input has autofocus only when its form comes first", () => {
    const listFocused = (page: Partial<Page>) =>
      all(parsed(page), "input").filter((input) => "autofocus" in input);
    expect(listFocused({ blocks: full })).toEqual([]);
    expect(listFocused({ blocks: full.slice(4) })).toMatchObject([{ name: "username" }]);
    expect(listFocused({ blocks: [field({ value: "known" })] })).toEqual([]);
    const wanting = field({ attributes: { autofocus: true } });
    expect(listFocused({ blocks: [wanting, ...full, wanting] })).toHaveLength(1);
    expect(listFocused({ blocks: [field({ type: "checkbox" })] })).toEqual([]);
    const fields = [{ name: "step", type: "hidden" }, { name: "name" }];
    expect(listFocused({ blocks: [form({ fields })] })).toMatchObject([{ name: "name" }]);
    // A field in the middle of the page or in a hidden part gets no focus.
    expect(
      listFocused({
        blocks: [
          { kind: "more", text: "More", blocks: [field({})] },
          { kind: "section", name: "s", heading: "S", blocks: [field({})] },
          { kind: "grid", blocks: [field({})] },
        ],
      }),
    ).toEqual([]);
    // Screen readers might skip the alert otherwise.
    expect(
      listFocused({ blocks: full.slice(4), message: { tone: "error", text: "x" } }),
    ).toMatchObject([{ "aria-describedby": "message" }]);
    expect(getInput({})).not.toHaveProperty("aria-describedby");
    const described = field({ attributes: { "aria-describedby": "hint" } });
    expect(
      listFocused({ blocks: [described], message: { tone: "error", text: "x" } }),
    ).toMatchObject([{ "aria-describedby": "hint" }]);
  });

  it("an error message has the role alert, any other message the role status", () => {
    const getRole = (tone: "info" | "error") =>
      all(parsed({ message: { tone, text: "x" } }), "p").find(({ id }) => id === "message")?.role;
    expect([getRole("error"), getRole("info")]).toEqual(["alert", "status"]);
  });

  it("a provider's button has its initial as decoration", () => {
    const markup = parsed({ blocks: [form({}, "github"), form({}, "ünder"), form({}, "")] });
    const marks = all(markup, "span").flatMap((span) => span["data-initial"] ?? []);
    expect(marks).toEqual(["G", "Ü", "•"]);
  });

  it("a provider's button has the initial of its name if that differs from the id", () => {
    const markup = parsed({ blocks: [form({ short: "Acme" }, "corp-sso")] });
    const marks = all(markup, "span").flatMap((span) => span["data-initial"] ?? []);
    expect(marks).toEqual(["A"]);
  });

  it("the document follows the browser's color scheme, or the theme's", () => {
    const getScheme = (colorScheme: Theme["colorScheme"]) => {
      const markup = parsed({}, colorScheme ? { colorScheme } : {});
      const meta = all(markup, "meta").find(({ name }) => name === "color-scheme");
      return [meta?.content, markup.style.includes("prefers-color-scheme")];
    };
    expect(getScheme(undefined)).toEqual(["light dark", true]);
    expect(getScheme("auto")).toEqual(["light dark", true]);
    expect(getScheme("dark")).toEqual(["dark", false]);
    expect(getScheme("light")).toEqual(["light", false]);
    expect(getScheme("toString" as "auto")).toEqual(["light dark", true]);
  });

  it.each(["light", "dark"] as const)(
    "text and controls have enough contrast in %s (WCAG 2.2 AA)",
    (colorScheme) => {
      const { style } = parsed({}, { colorScheme });
      const found = [...style.matchAll(/--([a-z-]+):(#[\da-f]+)/g)];
      const colors = Object.fromEntries(found.map(([, name, color]) => [name, color!]));
      const contrast = (one: string, other: string) => {
        const [low = 0, high = 0] = [colors[one]!, colors[other]!]
          .map(luminance)
          .sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
      };
      for (const [text, ground] of [
        ...[
          ["text", "card"],
          ["text", "field"],
          ["text", "hover"],
          ["muted", "card"],
        ],
        ...[
          ["muted", "field"],
          ["muted", "page"],
          ["on", "accent"],
          ["link", "card"],
        ],
        ...[
          ["bad", "bad-bg"],
          ["note", "note-bg"],
        ],
      ] as [string, string][]) {
        expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
      for (const [sign, ground] of [
        ...[
          ["edge", "card"],
          ["edge", "field"],
          ["ring", "card"],
          ["ring", "page"],
        ],
      ] as [string, string][]) {
        expect(contrast(sign, ground), `${sign} on ${ground}`).toBeGreaterThanOrEqual(3);
      }
    },
  );

  it("rendering a page twice gives the same document", () => {
    const page = { blocks: full };
    expect(render(page)).toBe(render(page));
  });
});

function luminance(hex: string): number {
  const digits = hex.length === 4 ? hex.slice(1).replace(/./g, "$&$&") : hex.slice(1);
  const [r, g, b] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

describe("pageHeaders()", () => {
  const buildHeaders = (values: Partial<Parameters<typeof pageHeaders>[0]> = {}) =>
    pageHeaders({ theme: {}, nonce, origin: "https://app.example", ...values });
  const parsePolicy = (values?: Partial<Parameters<typeof pageHeaders>[0]>) =>
    Object.fromEntries(
      buildHeaders(values)
        ["Content-Security-Policy"]!.split("; ")
        .map((directive) => {
          const [name, ...sources] = directive.split(" ");
          return [name!, sources.join(" ")];
        }),
    );

  it("the headers forbid everything but the page's own style, images and forms", () => {
    expect(parsePolicy()).toEqual({
      "default-src": "'none'",
      "style-src": `'nonce-${nonce}'`,
      "img-src": "'self'",
      "form-action": "'self'",
      "base-uri": "'none'",
      "frame-ancestors": "'none'",
    });
    expect(buildHeaders()).toMatchObject({
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "private, no-store",
      "X-Frame-Options": "DENY",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "same-origin",
    });
  });

  it("the policy allows the document's nonce, and an invalid nonce throws a TypeError", () => {
    expect(parsePolicy()["style-src"]).toBe(`'nonce-${only(parsed({}), "style").nonce}'`);
    expect(() => buildHeaders({ nonce: "x'; script-src *" })).toThrow(TypeError);
    expect(() => buildHeaders({ nonce: "" })).toThrow(TypeError);
  });

  it("the policy allows forms to lead to other origins where a provider needs it, to http on an http page and on the local machine", () => {
    expect(parsePolicy({ leavesOrigin: true })["form-action"]).toBe("'self' https:");
    for (const origin of [
      "https://localhost:3000",
      "https://127.0.0.1",
      "https://acme.localhost",
    ]) {
      const { "form-action": sources } = parsePolicy({ origin, leavesOrigin: true });
      expect(sources).toBe("'self' https: http:");
    }
    const origin = "http://localhost:3000";
    expect(parsePolicy({ origin })["form-action"]).toBe("'self'");
    expect(parsePolicy({ origin, leavesOrigin: true })["form-action"]).toBe("'self' https: http:");
  });

  it.each([
    ["https://cdn.example/logo.png", "'self' https://cdn.example"],
    ["/logo.png", "'self'"],
    ["https://cdn.example;script-src/x", "'self' https://cdn.example"],
    ["javascript:x", "'self'"],
  ])("the policy's img-src for the logo %s", (logo, expected) => {
    expect(parsePolicy({ theme: { logo } })["img-src"]).toBe(expected);
  });

  it("the policy allows data images only if the page has any", () => {
    expect(parsePolicy({ hasDataImages: true })["img-src"]).toBe("'self' data:");
    const theme = { logo: "https://cdn.example/logo.png" };
    expect(parsePolicy({ theme, hasDataImages: true })["img-src"]).toBe(
      "'self' data: https://cdn.example",
    );
  });

  it("the Referrer-Policy may be no-referrer, for pages with a token in their URL", () => {
    expect(buildHeaders({ referrerPolicy: "no-referrer" })["Referrer-Policy"]).toBe("no-referrer");
  });
});
