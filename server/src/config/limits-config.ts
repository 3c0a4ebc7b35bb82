import { promises } from '@docent/shared/promises';
import { z } from 'zod';
import { count, write } from './fields.ts';

/** What callers may use (service document, "Limits"). */
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
    },
    write('an object of limits'),
  )
  .prefault({});
