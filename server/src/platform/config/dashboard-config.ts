import { z } from 'zod';
import { write } from './fields.ts';

const hours = (most: number) =>
  z
    .number(write('a number of hours'))
    .min(1, write('at least 1 hour'))
    .max(most, write(`at most ${most} hours`));

/** The dashboard: how long people stay signed in, and what they need to sign in. */
export const DashboardConfig = z
  .strictObject(
    {
      /** A session ends after this time without a request. */
      idleHours: hours(720).default(24),
      /** A session ends after this time in any case. */
      sessionHours: hours(8_760).default(168),
      /** Everybody must set up a second factor before they see anything. */
      requireSecondFactor: z.boolean().default(false),
    },
    write('an object of dashboard settings'),
  )
  .prefault({});
