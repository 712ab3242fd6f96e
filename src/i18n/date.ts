import type { Translator } from "../types/message.ts";

/**
 * Formats a date to the minute in the visitor's language and region, in UTC, because the time zone is unknown. Uses the
 * same digits as the other numbers in texts.
 */
export function formatDate({ locale }: Translator, date: Date): string {
  return new Intl.DateTimeFormat(locale, {
    numberingSystem: "latn",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone: "UTC",
    timeZoneName: "short",
  }).format(date);
}
