import type { Reading } from "../types/message.ts";

/** A moment to the minute as the language writes it, in UTC: the visitor's time zone is not known. */
export function dateIn({ language }: Reading, date: Date): string {
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
