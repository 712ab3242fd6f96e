import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeUserAgent } from "../../plugins/strategies/_database/user-agent.ts";
import { runs } from "../attack/_attack.ts";

const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)";
const IPAD = "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X)";
const ANDROID = "Mozilla/5.0 (Linux; Android 10; K)";
const LINUX = "Mozilla/5.0 (X11; Linux x86_64)";
const BLINK = "AppleWebKit/537.36 (KHTML, like Gecko)";
const WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)";

const KNOWN: readonly (readonly [description: string, header: string])[] = [
  [
    "Firefox, Windows",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
  ],
  [
    "Firefox, Mac",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0",
  ],
  ["Firefox, Android", "Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"],
  ["Firefox, iPhone", `${IPHONE} ${WEBKIT} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`],
  ["Firefox, iPad", `${MAC} ${WEBKIT} FxiOS/140.0 Safari/605.1.15`],
  // The User-Agent that Chromium has frozen.
  ["Chrome, Windows", `${WINDOWS} ${BLINK} Chrome/138.0.0.0 Safari/537.36`],
  ["Chrome, Mac", `${MAC} ${BLINK} Chrome/138.0.0.0 Safari/537.36`],
  ["Chrome, Android", `${ANDROID} ${BLINK} Chrome/138.0.0.0 Mobile Safari/537.36`],
  [
    "Chrome, ChromeOS",
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${BLINK} Chrome/138.0.0.0 Safari/537.36`,
  ],
  ["Chrome, Linux", `${LINUX} ${BLINK} HeadlessChrome/138.0.0.0 Safari/537.36`],
  ["Chrome, iPhone", `${IPHONE} ${WEBKIT} CriOS/138.0.7204.33 Mobile/15E148 Safari/604.1`],
  ["Chrome, iPad", `${MAC} ${WEBKIT} CriOS/138 Version/11.1.1 Safari/605.1.15`],
  ["Edge, Windows", `${WINDOWS} ${BLINK} Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0`],
  ["Edge, Android", `${ANDROID} ${BLINK} Chrome/138.0.0.0 Mobile Safari/537.36 EdgA/138.0.0.0`],
  ["Edge, iPhone", `${IPHONE} ${WEBKIT} Version/18.0 EdgiOS/138.0.0.0 Mobile/15E148 Safari/604.1`],
  ["Opera, Linux", `${LINUX} ${BLINK} Chrome/137.0.0.0 Safari/537.36 OPR/121.0.0.0`],
  ["Opera, iPhone", `${IPHONE} ${WEBKIT} Version/18.5 Mobile/15E148 Safari/604.1 OPT/5.5.0`],
  [
    "Samsung Internet, Android",
    `${ANDROID} ${BLINK} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  ],
  ["Vivaldi, Linux", `${LINUX} ${BLINK} Chrome/138.0.0.0 Safari/537.36 Vivaldi/7.5.3735.41`],
  [
    "Yandex Browser, Windows",
    `${WINDOWS} ${BLINK} Chrome/136.0.0.0 YaBrowser/25.6.0.0 Safari/537.36`,
  ],
  [
    "DuckDuckGo, iPhone",
    `${IPHONE} ${WEBKIT} Version/18.5 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15`,
  ],
  ["Safari, iPhone", `${IPHONE} ${WEBKIT} Version/18.5 Mobile/15E148 Safari/604.1`],
  ["Safari, iPad", `${IPAD} ${WEBKIT} Version/16.6 Mobile/15E148 Safari/604.1`],
  // An iPad sends the header of a Mac.
  ["Safari, Mac/iPad", `${MAC} ${WEBKIT} Version/18.5 Safari/605.1.15`],
  [
    "Instagram, iPhone",
    `${IPHONE} ${WEBKIT} Mobile/22F76 Instagram 385.0.0.47.74 (iPhone14,5; iOS 18_5)`,
  ],
  [
    "Facebook, Android",
    `${ANDROID.replace("K)", "K; wv)")} ${BLINK} Version/4.0 Chrome/138.0.0.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/520.0.0;]`,
  ],
  ["WeChat, iPhone", `${IPHONE} ${WEBKIT} Mobile/15E148 MicroMessenger/8.0.60 NetType/WIFI`],
  // Web views and app shells: not the browser whose engine they use.
  [
    "Android",
    `${ANDROID.replace("K)", "K; wv)")} ${BLINK} Version/4.0 Chrome/138.0.0.0 Mobile Safari/537.36`,
  ],
  ["iPhone", `${IPHONE} ${WEBKIT} Mobile/15E148`],
  ["Mac", `${MAC} ${BLINK} Acme/1.2.0 Chrome/134.0.0.0 Electron/35.0.0 Safari/537.36`],
  // WebKit of other vendors.
  ["Linux", `${LINUX} ${WEBKIT} Version/18.0 Safari/605.1.15`],
  ["Android", "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/AP1A)"],
  ["Firefox", "Mozilla/5.0 (rv:140.0) Gecko/20100101 Firefox/140.0"],
];

const UNKNOWN: readonly (string | null)[] = [
  null,
  "",
  "node",
  "curl/8.14.1",
  "python-requests/2.32.4",
  "Acme/7 CFNetwork/3826.500.131 Darwin/24.5.0",
  "Chrome",
  "Firefoxy/1 NotLinuxed",
  "Mozilla/5.0 (PlayStation; PlayStation 5/9.00) AppleWebKit/605.1.15 Version/15.4 Safari/605.1.15",
  "<img src=x onerror=alert(1)>",
];

const NAME = /^(?:[A-Za-z]+(?: [A-Z][a-z]+)*(?:, )?)?(?:Mac\/iPad|[A-Za-z]+)?$/;

describe("the description of a session by its User-Agent", () => {
  it.each(KNOWN)("%s is described by the header: %s", (description, header) => {
    expect(describeUserAgent(header)).toBe(description);
  });

  it.each(UNKNOWN)("there is no description of the client %s", (header) => {
    expect(describeUserAgent(header)).toBeUndefined();
  });

  it("the description consists only of known names, whatever else a client sends", () => {
    const parts = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.constantFrom(...KNOWN.flatMap(([, header]) => header.split(" "))),
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (all) => {
        const description = describeUserAgent(all.join(" ")) ?? "";
        expect(description).toMatch(NAME);
        expect(description.length).toBeLessThan(40);
      }),
      runs(2000),
    );
  });

  it("text after the first thousand characters of a header is ignored", () => {
    const known = "Firefox/140.0 (Windows NT 10.0)";
    expect(describeUserAgent(`${known} ${"x".repeat(5000)}`)).toBe("Firefox, Windows");
    expect(describeUserAgent(`${"x".repeat(5000)} ${known}`)).toBeUndefined();
  });
});
