import type { Mark } from "../../../src/index.ts";

/** The sign of passkeys: somebody, and a key. */
export const MARK: Mark = [
  {
    d:
      "M8 3.2a4.3 4.3 0 1 0 0 8.6a4.3 4.3 0 1 0 0-8.6zM1 20.6V18.4C1 15.6 4 13.7 8 13.7C9.5 13." +
      "7 10.9 14 12 14.5V20.6zM17.6 8.4a4.4 4.4 0 0 1 1.5 8.5V17.9L20.4 19.2L19 20.6L20.4 22L17" +
      ".6 24L16 22.4V16.9a4.4 4.4 0 0 1 1.6-8.5zM17.6 10.9a1.3 1.3 0 1 0 0 2.6a1.3 1.3 0 1 0 0-" +
      "2.6z",
  },
];
