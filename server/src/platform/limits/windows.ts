/** A fixed period in UTC in which requests are counted, the same for every process. */
export interface Window {
  start: Date;
  /** The first moment after the window. */
  end: Date;
}

export type WindowOf = (time: Date) => Window;

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const minuteOf: WindowOf = (time) => fixed(time, minuteMs);
export const hourOf: WindowOf = (time) => fixed(time, hourMs);
export const dayOf: WindowOf = (time) => fixed(time, dayMs);

export const monthOf: WindowOf = (time) => ({
  start: new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), 1)),
  end: new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 1)),
});

function fixed(time: Date, lengthMs: number): Window {
  const start = Math.floor(time.getTime() / lengthMs) * lengthMs;
  return { start: new Date(start), end: new Date(start + lengthMs) };
}
