import { Copy } from './copy.tsx';

/** A secret that is shown this once. */
export const Secret = ({ value, label }: { value: string; label: string }) => (
  <div class="secret">
    <p>This is shown only once. Copy it now, and keep it like a password.</p>
    <div>
      <code aria-label={label}>{value}</code>
      <Copy value={value} label={`Copy ${label}`} isButton />
    </div>
  </div>
);
