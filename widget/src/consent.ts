/**
 * What the reader agreed to, where the owner asks for it (`data-consent`). Until then nothing is sent
 * to the service and nothing is stored; the files of the widget itself are no question and no answer.
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { mark } from './presence.ts';
import type { Settings } from './settings.ts';

export interface Consent {
  isGiven: ReadonlySignal<boolean>;
  /** The reader agrees; that, too, is stored only now. */
  give(): void;
  withdraw(): void;
}

export function createConsent(settings: ReadonlySignal<Settings>, own: string): Consent {
  const name = `docent:${own}:consent`;
  const isAccepted = signal(mark(name));
  return {
    isGiven: computed(() => !settings.value.needsConsent || isAccepted.value),
    give() {
      mark(name, true);
      isAccepted.value = true;
    },
    withdraw() {
      mark(name, false);
      isAccepted.value = false;
    },
  };
}
