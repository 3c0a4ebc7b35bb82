/** The screen behind an invitation's link: join with a new account, or with the one that is signed in. */
import type { InvitationPreview } from '@docent/shared/members';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useLoad } from '../../api/load.ts';
import { to } from '../../base.ts';
import { Load } from '../../components/empty.tsx';
import { Field, Form, textOf } from '../../components/form.tsx';
import { session } from '../../session.ts';
import { Screen } from '../../shell/screen.tsx';
import { NewPassword, SignIn } from '../../shell/sign-in.tsx';
import { roleNames } from './role-words.ts';

const token = new URLSearchParams(location.search).get('token') ?? '';

/** The rest of the page forgets who was signed in before. */
const accept = async (account?: object) => {
  await send('POST', '/v1/invitation/accept', { token, ...(account && { account }) });
  location.assign(to('/'));
};

export default function InvitationScreen() {
  const [hasAccount, setHasAccount] = useState(false);
  const [isNew, setNew] = useState(false);
  const person = isNew ? undefined : session.value?.person;
  const preview = useLoad('/v1/invitation', () =>
    send<InvitationPreview>('POST', '/v1/invitation', { token }),
  );
  const canMakeAccount = session.value?.signIn.password !== false;
  if (!person && (hasAccount || !canMakeAccount)) return <SignIn />;
  const { organization, role, email, invitedBy } = preview.data.value ?? {};
  return (
    <Screen
      key={organization}
      title={organization ? `Join ${organization}` : 'Invitation'}
      description={
        role && (
          <>
            {invitedBy ?? 'Somebody'} invites you to the dashboard of {organization} as{' '}
            {roleNames[role].toLowerCase()}.
          </>
        )
      }
    >
      <Load from={preview}>
        {() =>
          person ? (
            <Form
              submit={`Join ${organization}`}
              onSubmit={() => accept()}
              aside={
                canMakeAccount && (
                  <button type="button" class="button" onClick={() => setNew(true)}>
                    Make another account
                  </button>
                )
              }
            >
              <p>You are signed in with {person.email}.</p>
            </Form>
          ) : (
            <Form
              submit="Create account"
              aside={
                <button type="button" class="button" onClick={() => setHasAccount(true)}>
                  I have an account
                </button>
              }
              onSubmit={(data) =>
                accept({
                  name: textOf(data, 'name'),
                  email: textOf(data, 'email'),
                  password: data.get('password'),
                })
              }
            >
              <Field name="name" label="Your name">
                <input required autoComplete="name" maxLength={100} autoFocus />
              </Field>
              <Field name="email" label="Email">
                <input
                  required
                  type="email"
                  autoComplete="username"
                  readOnly={Boolean(email)}
                  defaultValue={email ?? ''}
                />
              </Field>
              <NewPassword />
            </Form>
          )
        }
      </Load>
    </Screen>
  );
}
