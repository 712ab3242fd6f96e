/// <reference lib="esnext.disposable" preserve="true" />

const UNITS = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 };

/** A length of time, such as `31 days` or `1 hour`. */
export type Duration = `${number} ${keyof typeof UNITS}${"" | "s"}`;

/** A clock that only the test moves. */
export interface Clock {
  /** The time in milliseconds since the epoch. */
  readonly now: number;
  /**
   * Moves the time forward by milliseconds or a duration; a negative value moves it back.
   * @throws TypeError for a text that is not a duration.
   */
  advance(by: number | Duration): void;
  /**
   * Sets the time.
   * @throws TypeError for a date that is not valid.
   */
  set(time: number | string | Date): void;
  /**
   * Restores the real time of the process. Repeated calls have no effect.
   * @throws Error while a clock that was created later is not restored.
   */
  restore(): void;
  /** `restore`, for `using clock = createClock()`. */
  [Symbol.dispose](): void;
}

function toTime(time: number | string | Date): number {
  const value = new Date(time).getTime();
  if (Number.isNaN(value)) throw new TypeError(`"${String(time)}" is not a valid date.`);
  return value;
}

function toMilliseconds(by: number | Duration): number {
  if (typeof by === "number" && Number.isFinite(by)) return by;
  const [, amount, unit] =
    /^(-?\d+(?:\.\d+)?) (second|minute|hour|day|week)s?$/.exec(`${by}`) ?? [];
  if (unit !== undefined) return Number(amount) * UNITS[unit as keyof typeof UNITS];
  throw new TypeError(
    `"${by}" is not a duration. Pass milliseconds, or a number and seconds, minutes, hours, days or weeks, such as "31 days".`,
  );
}

/**
 * Replaces the time that `Date.now()` and `new Date()` return in this process, until `restore()`. The time stands still
 * between moves. Timers are not affected: `setTimeout` and `AbortSignal.timeout` wait as usual, and so do expiries that
 * another process measures. Tests in the same process share the time.
 * @param start Default: now.
 * @example
 * using clock = createClock("2026-01-01");
 * await browser.signInAs({ name: "Ada" });
 * clock.advance("31 days");
 * expect(await browser.session()).toBeNull();
 */
export function createClock(start: number | string | Date = Date.now()): Clock {
  const real = globalThis.Date;
  let now = toTime(start);
  const moved = new Proxy(real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length ? args : [now], newTarget) as Date,
    apply: () => new real(now).toString(),
    get: (target, key) => (key === "now" ? () => now : Reflect.get(target, key)),
  });
  globalThis.Date = moved;
  let isMoved = true;
  const restore = () => {
    if (!isMoved) return;
    if (globalThis.Date !== moved) {
      throw new Error("The time was replaced again after this clock. Restore the later one first.");
    }
    globalThis.Date = real;
    isMoved = false;
  };
  return {
    get now() {
      return now;
    },
    advance(by) {
      now += toMilliseconds(by);
    },
    set(time) {
      now = toTime(time);
    },
    restore,
    [Symbol.dispose]: restore,
  };
}
