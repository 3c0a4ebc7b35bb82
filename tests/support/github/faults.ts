import type { Answer } from './answers.ts';

/** What goes wrong with a request. */
export interface Fault {
  /** `POST /git/refs`: the method, and a part of the path; `git` or `git acme/docs`: reading by git itself. */
  at: string;
  /** Whether the server does what it was asked for before it fails. */
  when: 'before' | 'after';
  /** Status, or `cut` where the connection breaks; left out, the right answer comes after the gate. */
  answer?: (Answer & { message?: string }) | 'cut';
  /** The answer waits for this. */
  gate?: Promise<unknown>;
  /** How many requests it happens to; 1 where it is left out. */
  times?: number;
}

export interface ArmedFault extends Fault {
  /** How many requests it has happened to. */
  happened: number;
}

export function createFaults() {
  const armed: ArmedFault[] = [];

  return {
    arm(fault: Fault): ArmedFault {
      const one = { ...fault, happened: 0 };
      armed.push(one);
      return one;
    },

    /** The fault for a request, which counts as having happened. */
    take(method: string, path: string): ArmedFault | undefined {
      const found = armed.find(({ at, times = 1, happened }) => {
        if (happened >= times) return false;
        const [verb, place = ''] = at.split(' ');
        return verb === method && path.includes(place);
      });
      if (found) found.happened += 1;
      return found;
    },
  };
}

/** What GitHub says where too much is asked in too short a time. */
export const secondaryLimit = (seconds: number): Answer => ({
  status: 403,
  headers: { 'retry-after': String(seconds) },
  body: {
    message:
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
    documentation_url:
      'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits',
  },
});

/** What it says where the hour is used up. */
export const primaryLimit = (resetsAt: number): Answer => ({
  status: 403,
  headers: {
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.floor(resetsAt / 1000)),
  },
  body: { message: 'API rate limit exceeded for installation ID 50000.' },
});
