import type { Translator } from "../types/message.ts";

/**
 * Formats a date to the minute in the translator's language, in UTC: the visitor's time zone is not known.
 */
export function formatDate({ language }: Translator, date: Date): string {
  return new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone: "UTC",
    timeZoneName: "short",
  }).format(date);
}
