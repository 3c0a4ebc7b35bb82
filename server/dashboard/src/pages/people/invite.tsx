import type { NewInvitation } from '@docent/shared/members';
import { isAtLeast, type Role, roles } from '@docent/shared/roles';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { Secret } from '../../components/secret.tsx';
import { Time } from '../../components/time.tsx';
import { roleNames, roleWords } from './role-words.ts';

interface InviteProps {
  own: Role;
  onClose: () => void;
  onInvited: () => Promise<void>;
}

export function Invite({ own, onClose, onInvited }: InviteProps) {
  const [role, setRole] = useState<Role>('editor');
  const [made, setMade] = useState<NewInvitation>();
  const invite = async (data: FormData) => {
    const email = textOf(data, 'email');
    setMade(await send('POST', '/v1/invitations', { role, ...(email !== '' && { email }) }));
    await onInvited();
  };
  if (made) {
    const { email, expiresAt } = made.invitation;
    return (
      <Secret
        title="Send this link"
        onClose={onClose}
        value={made.url}
        label="link"
        note={`Docent sends no mail, so send it yourself${email ? ` to ${email}` : ''}.`}
      >
        <p>
          It lets one person join as {roleNames[made.invitation.role].toLowerCase()}, until{' '}
          <Time at={expiresAt} isExact />.
        </p>
      </Secret>
    );
  }
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <Form submit="Make a link" onCancel={onClose} onSubmit={invite}>
        <Field name="role" label="Role" help={roleWords[role]}>
          <select value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
            {roles
              .filter((each) => isAtLeast(own, each))
              .map((each) => (
                <option key={each} value={each}>
                  {roleNames[each]}
                </option>
              ))}
          </select>
        </Field>
        <Field
          name="email"
          label="Email (optional)"
          help="Only this address can join. Without one, anyone who has the link can."
        >
          <input type="email" autoComplete="off" />
        </Field>
      </Form>
    </Dialog>
  );
}
