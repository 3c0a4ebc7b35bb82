/** Says that something worked, or failed where there is no better place to say it. */
import { signal } from '@preact/signals';
import { ApiError } from '../api/client.ts';
import { Icon } from './icons.tsx';

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
}

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;
const shownMs = 6000;

function hide(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

function add(toast: Omit<Toast, 'id'>): void {
  const id = (lastId += 1);
  toasts.value = [...toasts.value.slice(-2), { ...toast, id }];
  // What went wrong stays until it's read.
  if (!toast.isBad) setTimeout(() => hide(id), shownMs);
}

/** `toast('Key revoked')` */
export const toast = (text: string): void => add({ text, isBad: false });

/** For a `catch`: `void send(…).catch(toastError)`. */
export function toastError(error: unknown): void {
  if (!(error instanceof ApiError)) console.error(error);
  add({ text: error instanceof ApiError ? error.message : 'This failed. Try again.', isBad: true });
}

export const Toasts = () => (
  <div class="toasts" role="status">
    {toasts.value.map(({ id, text, isBad }) => (
      <div key={id} class={isBad ? 'toast bad' : 'toast'}>
        <Icon name={isBad ? 'alert' : 'check'} />
        <span>{text}</span>
        <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => hide(id)}>
          <Icon name="close" />
        </button>
      </div>
    ))}
  </div>
);
