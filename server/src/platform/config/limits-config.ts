import { promises } from '@docent/shared/promises';
import { z } from 'zod';
import { count, write } from './fields.ts';

const perMinute = (most: number) =>
  z
    .union([z.number().int().positive(), z.literal(false)], {
      error: write('a whole number of questions a minute, or false for no limit').error,
    })
    .default(most);

/** Limits of callers (service document, "Limits"). */
export const LimitsConfig = z
  .strictObject(
    {
      perKeyAndMonth: count('a whole number of uses').default(promises.usesPerKeyAndMonth),
      perOrganizationAndHour: count('a whole number of requests').default(
        promises.requestsPerOrganizationAndHour,
      ),
      perAddressAndDay: count('a whole number of requests').default(
        promises.requestsPerAddressAndDay,
      ),
      /** Not in the service document. A reader is an `fp`; `anonymous` doesn't count. */
      perReaderAndMinute: perMinute(60),
      perThreadAndMinute: perMinute(20),
      /** High, because an office can share an address, and a server can ask for its readers. */
      perAddressAndMinute: perMinute(1_500),
      /** Connections at the same time in each process: to one answer, and to job logs with one key. */
      readersPerAnswer: count('a whole number of connections').default(50),
      followersPerKey: count('a whole number of connections').default(200),
    },
    write('an object of limits'),
  )
  .prefault({});
