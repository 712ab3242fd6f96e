/** A name, and what a `User-Agent` of it contains. */
type Row = readonly [name: string, pattern: RegExp];

/** Characters of the header that are looked at. */
const MAX_LENGTH = 1024;

/** The first that matches: most state several others too, for servers that look for those. */
const BROWSERS: readonly Row[] = [
  // The web views of apps that state their name.
  ["Instagram", /\bInstagram\b/],
  ["Facebook", /\bFBA[NV]\//],
  ["TikTok", /\b(?:TikTok|musical_ly|BytedanceWebview)/],
  ["WeChat", /\bMicroMessenger\//],
  ["LINE", /\bLine\//],
  ["Google", /\bGSA\//],
  // Those of other apps: their sessions are not the browser's, which they state.
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
  // Web views of iOS have no `Safari`; other browsers made with WebKit have, on other systems.
  ["Safari", /\b(?:Macintosh|iPhone|iPad)\b.* Version\/[\d.]+ (?:Mobile\/\w+ )?Safari\//],
];

/** Systems; of Apple the devices, which their users know. */
const SYSTEMS: readonly Row[] = [
  ["iPhone", /\biPhone\b/],
  // iPads ask for the pages of a Mac: other browsers than Safari have a name that they have on iPads alone.
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
 * Returns the browser and the system that a `User-Agent` states, such as `Firefox, Windows`, or what is known of both;
 * `undefined` if neither is. It contains nothing but names of these tables: the header is personal data, and anything that a
 * client likes to send.
 */
export function describeUserAgent(header: string | null): string | undefined {
  const text = header?.slice(0, MAX_LENGTH) ?? "";
  const find = (rows: readonly Row[]) => rows.find(([, pattern]) => pattern.test(text))?.[0];
  const names = [find(BROWSERS), find(SYSTEMS)].filter(Boolean);
  return names.join(", ") || undefined;
}
