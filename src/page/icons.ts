import type { Icon, Page } from "../types/page.ts";

/** The icons that are drawn above the heading of a page. */
export const PAGE_ICONS: Readonly<Record<NonNullable<Page["icon"]>, Icon>> = {
  leave: [
    {
      d: "M4 3H13V5H6V19H13V21H4zM15.6 7.4L20.2 12L15.6 16.6L14.2 15.2L16.4 13H9V11H16.4L14.2 8.8z",
    },
  ],
  mail: [
    {
      d: "M3.5 4.5H20.5A2 2 0 0 1 22.5 6.5V17.5A2 2 0 0 1 20.5 19.5H3.5A2 2 0 0 1 1.5 17.5V6.5A2 2 0 0 1 3.5 4.5zM3.5 8.1V17.5H20.5V8.1L12 13.9zM4.6 6.5L12 11.5L19.4 6.5z",
    },
  ],
  warning: [
    {
      d: "M10.3 3.4A2 2 0 0 1 13.7 3.4L22.4 18.3A2 2 0 0 1 20.7 21.3H3.3A2 2 0 0 1 1.6 18.3zM12 4.4L3.3 19.3H20.7zM11 9.4H13V14.2H11zM11 15.6H13V17.6H11z",
    },
  ],
};
