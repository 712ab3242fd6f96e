/** A name, and the pattern of its `User-Agent`. */
type Row = readonly [name: string, pattern: RegExp];

/** Maximum number of characters of the header that are read. */
const MAX_LENGTH = 1024;

/** The first match counts. Most browsers also name several others, for servers that look for those. */
const BROWSERS: readonly Row[] = [
  // The web views of apps that identify themselves.
  ["Instagram", /\bInstagram\b/],
  ["Facebook", /\bFBA[NV]\//],
  ["TikTok", /\b(?:TikTok|musical_ly|BytedanceWebview)/],
  ["WeChat", /\bMicroMessenger\//],
  ["LINE", /\bLine\//],
  ["Google", /\bGSA\//],
  // The web views of other apps. They name a browser, but their sessions are not that browser's.
  ["", /; wv\)|\bElectron\//],
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\b(?:OPR|OPT|OPX|Opera)\b/],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Huawei Browser", /\bHuaweiBrowser\//],
  ["Mi Browser", /\bMiuiBrowser\//],
  ["UC Browser", /\bUCBrowser\//],
  ["Vivaldi", /\bVivaldi\//],
  ["Yandex Browser", /\bYaBrowser\//],
  ["DuckDuckGo", /\b(?:DuckDuckGo|Ddg)\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|HeadlessChrome|CriOS)\//],
  // Web views of iOS have no `Safari`. Other WebKit browsers have it, on other systems.
  ["Safari", /\b(?:Macintosh|iPhone|iPad)\b.* Version\/[\d.]+ (?:Mobile\/\w+ )?Safari\//],
];

/** Systems. For Apple, the devices, which users know better. */
const SYSTEMS: readonly Row[] = [
  ["iPhone", /\biPhone\b/],
  // iPads request pages as a Mac does. Browsers other than Safari have names that they use only on iPads.
  ["iPad", /\biPad\b|\bMacintosh\b.* (?:CriOS|FxiOS|EdgiOS)\//],
  ["Mac/iPad", /\bMacintosh\b.* Version\/[\d.]+ Safari\//],
  ["Mac", /\bMacintosh\b/],
  ["Android", /\bAndroid\b/],
  ["HarmonyOS", /\bOpenHarmony\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows NT\b/],
  ["Linux", /\bLinux\b/],
];

/**
 * Returns the browser and the system of a `User-Agent`, such as `Firefox, Windows`, or the part that is known;
 * otherwise `undefined`. The result contains only names from these tables, because the header is personal data and may
 * contain any text.
 */
export function describeUserAgent(header: string | null): string | undefined {
  const text = header?.slice(0, MAX_LENGTH) ?? "";
  const find = (rows: readonly Row[]) => rows.find(([, pattern]) => pattern.test(text))?.[0];
  const names = [find(BROWSERS), find(SYSTEMS)].filter(Boolean);
  return names.join(", ") || undefined;
}
