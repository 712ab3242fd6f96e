import type { Page } from "playwright-core";

/** The appearance of a rendered page. */
export interface Look {
  /** Faults, described with the element's text. */
  faults: string[];
  /** Texts in the page's own language, without names, addresses and codes. */
  texts: string[];
  primaries: number;
  language: string;
  direction: string;
}

// Runs in the browser. Everything is one evaluation, because a page is rendered six times.
function inspect(): Look {
  const faults: string[] = [];
  const texts: string[] = [];
  const root = document.documentElement;
  const isShown = (one: Element) => one.checkVisibility({ visibilityProperty: true });
  const describe = (one: Element) =>
    `${one.tagName.toLowerCase()} "${(one.ariaLabel ?? one.textContent ?? "").trim().slice(0, 60)}"`;

  if (root.scrollWidth > root.clientWidth) {
    faults.push(`the page is ${root.scrollWidth - root.clientWidth} px too wide`);
  }

  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
  const colors = new Map<string, number[]>();
  const parse = (color: string): number[] => {
    const known = colors.get(color);
    if (known) return known;
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
    const parsed = [red, green, blue, alpha / 255];
    colors.set(color, parsed);
    return parsed;
  };
  const over = (top: number[], ground: number[]) =>
    top.slice(0, 3).map((value, at) => value * top[3]! + ground[at]! * (1 - top[3]!));
  const groundOf = (one: Element | null): number[] => {
    if (!one) return [255, 255, 255];
    const color = parse(getComputedStyle(one).backgroundColor);
    return color[3] === 1 ? color : over(color, groundOf(one.parentElement));
  };
  const luminance = (color: number[]) => {
    const [red = 0, green = 0, blue = 0] = color.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const checkContrast = (one: Element, pseudo?: string) => {
    const ground = groundOf(one);
    const text = over(parse(getComputedStyle(one, pseudo).color), ground);
    const [low = 0, high = 0] = [luminance(text), luminance(ground)].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) faults.push(`contrast of ${ratio.toFixed(2)}: ${describe(one)}`);
  };

  // The glyphs of some fonts, such as Noto Sans, are taller than the line of a heading.
  const isInside = (inner: DOMRect, outer: DOMRect) =>
    inner.left >= outer.left - 1 &&
    inner.right <= outer.right + 1 &&
    inner.top >= outer.top - 3 &&
    inner.bottom <= outer.bottom + 3;
  // Chinese and Japanese may break within words, except in these, which would look odd. "e-mail" is
  // one word.
  const WORD =
    /方\u2060?法|(?<!\p{L})\p{L}[-\u2011]\p{L}+|(?<![\u00ad\p{L}\p{M}\p{N}])(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー])[\p{L}\p{M}\p{N}])+/gu;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const parent = node.parentElement!;
    const text = node.nodeValue!.trim();
    if (!text || !isShown(parent)) continue;
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    for (let holder: Element | null = parent; holder; holder = holder.parentElement) {
      if (getComputedStyle(holder).display === "inline") continue;
      if (isInside(box, holder.getBoundingClientRect())) continue;
      faults.push(`text outside of its box: ${describe(parent)}`);
      break;
    }
    // Addresses and codes contain no words.
    const hasWords = !URL.canParse(text) && !parent.closest("bdi,pre");
    for (const { 0: word, index } of hasWords ? node.nodeValue!.matchAll(WORD) : []) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
      const lines = new Set(boxes.map(({ top }) => Math.round(top)));
      if (lines.size > 1) faults.push(`"${word}" on two lines: ${describe(parent)}`);
    }
    const { overflowX, textOverflow } = getComputedStyle(parent);
    const isClipping = overflowX !== "visible" || textOverflow !== "clip";
    if (isClipping && parent.scrollWidth > parent.clientWidth) {
      faults.push(`clipped text: ${describe(parent)}`);
    }
    checkContrast(parent);
    // The English line for developers has its own `lang`.
    if (!parent.closest("bdi,pre,[lang]:not(html)")) texts.push(text);
  }
  for (const one of document.querySelectorAll<HTMLInputElement>("input:not([type=hidden])")) {
    if (!isShown(one)) continue;
    if (one.scrollWidth > one.clientWidth) faults.push(`clipped input: ${one.outerHTML}`);
    if (one.placeholder) checkContrast(one, "::placeholder");
  }
  for (const one of document.querySelectorAll("[aria-label],img[alt]")) {
    const label = one.getAttribute("aria-label") ?? one.getAttribute("alt") ?? "";
    if (label && isShown(one)) texts.push(label);
  }
  texts.push(document.title);

  const controls = [...document.querySelectorAll("a,button,summary,input:not([type=hidden])")]
    .filter(isShown)
    .map((one) => {
      const box = (one.closest("label.check") ?? one).getBoundingClientRect();
      return { one, box };
    });
  for (const [at, { one, box }] of controls.entries()) {
    // Touch targets are at least 44 pixels wide and high (WCAG 2.5.5).
    if (box.height < 44 || box.width < 44) {
      faults.push(`${box.width} × ${box.height} px: ${describe(one)}`);
    }
    for (const other of controls.slice(at + 1)) {
      const isApart =
        box.right <= other.box.left + 1 ||
        other.box.right <= box.left + 1 ||
        box.bottom <= other.box.top + 1 ||
        other.box.bottom <= box.top + 1;
      if (!isApart) faults.push(`${describe(one)} overlaps ${describe(other.one)}`);
    }
  }

  return {
    faults,
    texts: [...new Set(texts)],
    primaries: [...document.querySelectorAll(".primary")].filter(
      (button) => isShown(button) && !button.matches("[data-live]:not([hidden])~form .primary"),
    ).length,
    language: root.lang,
    direction: getComputedStyle(document.body).direction,
  };
}

/** Inspects the rendered page with everything unfolded. */
export async function readLook(page: Page): Promise<Look> {
  return page.evaluate(inspect);
}

/** A screenshot with its caption. */
export interface Picture {
  caption: string;
  data: Buffer;
}

/** Combines screenshots side by side into one image at a path. */
export async function writeSheet(
  page: Page,
  pictures: readonly Picture[],
  path: string,
): Promise<void> {
  const figures = pictures.map(
    ({ caption, data }) =>
      `<figure><figcaption>${caption}</figcaption><img src="data:image/jpeg;base64,${data.toString("base64")}"></figure>`,
  );
  await page.setViewportSize({ width: 1900, height: 800 });
  await page.setContent(
    "<style>body{margin:8px;display:grid;grid-template-columns:repeat(6,1fr);gap:8px;font:13px sans-serif;" +
      "background:#888}figure{margin:0}img{width:100%;vertical-align:top}</style>" +
      figures.join(""),
  );
  await page.locator("img").last().waitFor();
  await page.screenshot({ path, fullPage: true, type: "png" });
}
