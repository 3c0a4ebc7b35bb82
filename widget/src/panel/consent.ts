/**
 * The reader's consent, if the owner requires it. Until then, nothing is sent to the service or
 * stored.
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { isFlagSet, setFlag } from '../loader/flags.ts';
import type { Settings } from '../loader/settings.ts';

export type Consent = ReturnType<typeof createConsent>;

export function createConsent(settings: ReadonlySignal<Settings>, own: string) {
  const isAccepted = signal(isFlagSet(own, 'consent'));
  return {
    isGiven: computed(() => settings.value.consent === 'given' || isAccepted.value),
    /** `false`: it's withdrawn. */
    set(isGiven: boolean) {
      setFlag(own, 'consent', isGiven);
      isAccepted.value = isGiven;
    },
  };
}
