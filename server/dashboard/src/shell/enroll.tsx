/** Sets up a second factor: on the profile, and before the pages where the service requires one. */
import { useState } from 'preact/hooks';
import { encode } from 'uqr';
import { loadSession, send } from '../api/client.ts';
import { useLoad } from '../api/load.ts';
import { toastError } from '../components/toast.tsx';
import { Copy, Snippet } from '../components/copy.tsx';
import { Load } from '../components/empty.tsx';
import { Field, Form } from '../components/form.tsx';
import { useShownOnce } from '../components/secret.tsx';
import { OwnPassword, passwordAndCode } from '../components/own-password.tsx';

interface EnrollProps {
  onDone?: () => void;
  onCancel?: () => void;
}

export function EnrollSecondFactor({ onDone, onCancel }: EnrollProps) {
  const [codes, setCodes] = useState<readonly string[]>();
  const factor = useLoad('second-factor', () =>
    send<{ secret: string; uri: string }>('POST', '/v1/people/me/second-factor'),
  );
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />;
  const confirm = async (data: FormData) => {
    const { recoveryCodes } = await send<{ recoveryCodes: string[] }>(
      'POST',
      '/v1/people/me/second-factor/confirm',
      passwordAndCode(data),
    );
    setCodes(recoveryCodes);
  };
  return (
    <Load from={factor} lines={6}>
      {({ secret, uri }) => (
        <Form submit="Confirm" onSubmit={confirm} {...(onCancel && { onCancel })}>
          <p>Scan this with an authenticator app, then enter the code that it shows.</p>
          <QrCode text={uri} />
          <div class="stack">
            <p>Or enter this secret:</p>
            <Snippet text={secret} label="Copy the secret" />
          </div>
          <Field name="code" label="Code">
            <input required inputMode="numeric" autoComplete="one-time-code" />
          </Field>
          <OwnPassword />
        </Form>
      )}
    </Load>
  );
}

interface RecoveryCodesProps {
  codes: readonly string[];
  onDone?: (() => void) | undefined;
}

export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  useShownOnce();
  const done = () => loadSession().then(onDone, toastError);
  return (
    <Form submit="I kept them" onSubmit={done}>
      <p>
        Keep these recovery codes. Each signs you in once if you lose your authenticator, and they
        aren’t shown again.
      </p>
      <div class="secret">
        <ul class="codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <Copy value={codes.join('\n')} label="Copy all" isButton />
      </div>
    </Form>
  );
}

function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 3 });
  const path = data
    .flatMap((row, y) => row.map((isBlack, x) => (isBlack ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of the secret">
      <path d={path} />
    </svg>
  );
}
