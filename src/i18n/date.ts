import type { Translator } from "../types/message.ts";

/**
 * Formats a date to the minute in the visitor's language and region, in UTC: the time zone is not known. Digits are
 * those of the texts' other numbers.
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
