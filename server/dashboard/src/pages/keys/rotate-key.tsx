import type { KeyWithToken, ManagedKey } from '@docent/shared/managed-keys';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { Time } from '../../components/time.tsx';
import { NewToken } from './new-token.tsx';
import { nameOf } from './status.tsx';

interface RotateKeyProps {
  apiKey: ManagedKey;
  onClose: () => void;
  onRotated: () => Promise<void>;
}

export function RotateKey({ apiKey, onClose, onRotated }: RotateKeyProps) {
  const [made, setMade] = useState<KeyWithToken>();
  const rotate = async (data: FormData) => {
    const overlapHours = Number(textOf(data, 'overlapHours'));
    setMade(await send('POST', `/v1/keys/${apiKey.id}/rotate`, { overlapHours }));
    await onRotated();
  };
  if (made) {
    const { previous } = made.key;
    return (
      <NewToken title={`${nameOf(apiKey)} has a new token`} made={made} onClose={onClose}>
        {previous ? (
          <p>
            The old token, …{previous.hint}, stays valid until <Time at={previous.until} isExact />.
            Replace it everywhere until then.
          </p>
        ) : (
          <p>The old token is no longer valid.</p>
        )}
      </NewToken>
    );
  }
  return (
    <Dialog title={`Rotate ${nameOf(apiKey)}`} onClose={onClose}>
      <Form submit="Rotate key" onCancel={onClose} onSubmit={rotate}>
        <p>
          The key gets a new token, and keeps its name, permissions, limits, and usage.
          {apiKey.previous &&
            ` The older token, …${apiKey.previous.hint}, stops working immediately.`}
        </p>
        <Field name="overlapHours" label="Keep the current token valid for">
          <select>
            <option value="0">Not at all, because it leaked</option>
            <option value="24">1 day</option>
            <option value="168" selected>
              7 days
            </option>
            <option value="720">30 days</option>
          </select>
        </Field>
      </Form>
    </Dialog>
  );
}
