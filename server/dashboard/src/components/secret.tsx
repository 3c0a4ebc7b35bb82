import { Copy } from './copy.tsx';

interface SecretProps {
  value: string;
  /** What is copied: "key". */
  label: string;
  note?: string | undefined;
}

/** A secret that is shown this once. */
export const Secret = ({
  value,
  label,
  note = 'This is shown only once. Copy it now, and keep it like a password.',
}: SecretProps) => (
  <div class="secret">
    <p>{note}</p>
    <div>
      <code aria-label={label}>{value}</code>
      <Copy value={value} label={`Copy ${label}`} isButton />
    </div>
  </div>
);
