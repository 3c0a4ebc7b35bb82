/** What people do with their own account: the password, the second factor, and where they're signed in. */
import type { DigestReply } from '@docent/shared/digest';
import type { SessionInfo } from '@docent/shared/people';
import { lazy } from 'preact-iso';
import { useState } from 'preact/hooks';
import { loadSession, send } from '../../api/client.ts';
import { useGet } from '../../api/load.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Load } from '../../components/empty.tsx';
import { Field, Form } from '../../components/form.tsx';
import { OwnPassword, passwordAndCode } from '../../components/own-password.tsx';
import { Page, Section } from '../../components/page.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { session } from '../../session.ts';
import { NewPassword } from '../../shell/sign-in.tsx';
import { deviceOf } from './device.ts';

const enroll = () => import('../../shell/enroll.tsx');
const EnrollSecondFactor = lazy(async () => (await enroll()).EnrollSecondFactor);
const RecoveryCodes = lazy(async () => (await enroll()).RecoveryCodes);

export default function ProfilePage() {
  const { person, signIn } = session.value ?? {};
  return (
    <Page title="Your profile" description={person && `${person.name}, ${person.email}`}>
      {signIn?.password && person?.hasPassword && <Password />}
      <SecondFactor />
      <Digest />
      <Sessions />
    </Page>
  );
}

function Password() {
  // A new form is an empty one.
  const [changes, setChanges] = useState(0);
  const change = async (data: FormData) => {
    await send('POST', '/v1/people/me/password', {
      current: data.get('current'),
      password: data.get('password'),
    });
    setChanges(changes + 1);
    toast('Password changed. You’re signed out everywhere else.');
  };
  return (
    <Section title="Password" description="Changing it signs you out everywhere else.">
      <Form key={changes} submit="Change password" onSubmit={change}>
        <Field name="current" label="Current password">
          <input required type="password" autoComplete="current-password" />
        </Field>
        <NewPassword label="New password" />
      </Form>
    </Section>
  );
}

function SecondFactor() {
  const [open, setOpen] = useState<'set-up' | 'renew' | 'remove'>();
  const [codes, setCodes] = useState<readonly string[]>();
  const { hasSecondFactor = false, hasPassword = false } = session.value?.person ?? {};
  const close = () => {
    setOpen(undefined);
    setCodes(undefined);
  };
  const renew = async (data: FormData) => {
    const path = `${secondFactor}/recovery-codes`;
    const made = await send<{ recoveryCodes: string[] }>('POST', path, passwordAndCode(data));
    setCodes(made.recoveryCodes);
  };
  const remove = async (data: FormData) => {
    await send('DELETE', secondFactor, passwordAndCode(data));
    await loadSession();
    close();
    toast('Your account no longer has a second factor.');
  };
  return (
    <Section
      title="Second factor"
      description="A code from an app on your phone, in addition to how you sign in."
      actions={
        hasSecondFactor ? (
          <>
            <Button onClick={() => setOpen('renew')}>New recovery codes</Button>
            <Button onClick={() => setOpen('remove')}>Remove</Button>
          </>
        ) : (
          <Button onClick={() => setOpen('set-up')}>Set up</Button>
        )
      }
    >
      <p>
        {hasSecondFactor ? <Badge tone="good">On</Badge> : <Badge tone="warn">Off</Badge>}{' '}
        {hasSecondFactor
          ? 'Signing in needs a code from your app, or a recovery code.'
          : hasPassword
            ? 'Anyone who knows your password can sign in.'
            : 'Anyone who can use your single sign-on account can sign in.'}
      </p>
      {open === 'set-up' && (
        <Dialog title="Set up a second factor" onClose={close}>
          <EnrollSecondFactor onDone={close} onCancel={close} />
        </Dialog>
      )}
      {open === 'renew' && (
        <Dialog title="New recovery codes" onClose={close}>
          {codes ? (
            <RecoveryCodes codes={codes} onDone={close} />
          ) : (
            <Form submit="Make new codes" onCancel={close} onSubmit={renew}>
              <p>Your old recovery codes stop working. You’re signed out everywhere else.</p>
              <PasswordAndCode />
            </Form>
          )}
        </Dialog>
      )}
      {open === 'remove' && (
        <Dialog title="Remove the second factor" onClose={close}>
          <Form submit="Remove" isDanger onCancel={close} onSubmit={remove}>
            <p>
              Signing in needs no code any more, and your recovery codes stop working. You’re signed
              out everywhere else.
            </p>
            <PasswordAndCode />
          </Form>
        </Dialog>
      )}
    </Section>
  );
}

const secondFactor = '/v1/people/me/second-factor';

function PasswordAndCode() {
  return (
    <>
      <OwnPassword />
      <Field name="code" label="Code" help="From your app, or a recovery code.">
        <input required autoComplete="one-time-code" spellcheck={false} />
      </Field>
    </>
  );
}

function Digest() {
  const path = '/v1/people/me/digest';
  const loaded = useGet<DigestReply>(path);
  const set = async (timeZone: string | null) => {
    await send('POST', path, { timeZone });
    await loaded.reload();
    toast(timeZone === null ? 'You get no more weekly emails' : 'You get an email each Monday');
  };
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { timeZone, nextAt, hasMailServer = false } = loaded.data.value ?? { timeZone: null };
  return (
    <Section
      title="Weekly email"
      description={`What readers of ${session.value?.organization} asked, what was answered, and the top open gaps. Without anything to say, none comes.`}
      actions={
        timeZone !== null ? (
          <Button onClick={() => set(null)}>Switch off</Button>
        ) : (
          hasMailServer && <Button onClick={() => set(here)}>Switch on</Button>
        )
      }
    >
      <Load from={loaded} lines={1}>
        {() => (
          <p>
            {timeZone === null ? <Badge tone="neutral">Off</Badge> : <Badge tone="good">On</Badge>}{' '}
            {timeZone !== null && nextAt
              ? `Mondays at 8:00, ${timeZone.replaceAll('_', ' ')}.`
              : hasMailServer
                ? `It comes on Mondays at 8:00, ${here.replaceAll('_', ' ')}.`
                : 'The service has no mail server; its owner sets “email” in the configuration.'}
          </p>
        )}
      </Load>
    </Section>
  );
}

function Sessions() {
  const path = '/v1/people/me/sessions';
  const list = useGet<{ sessions: SessionInfo[] }>(path);
  const end = (each: SessionInfo) =>
    confirm({
      title: 'Sign out this browser?',
      consequences: `${deviceOf(each.userAgent)} is signed out with its next request.`,
      action: 'Sign out',
      run: () => send('DELETE', `${path}/${each.id}`).then(list.reload),
    });
  const endOthers = () =>
    confirm({
      title: 'Sign out everywhere else?',
      consequences: 'All browsers but this one are signed out with their next request.',
      action: 'Sign out everywhere else',
      run: () => send('DELETE', path).then(list.reload),
    });
  const columns: Column<SessionInfo>[] = [
    {
      title: 'Device',
      cell: ({ userAgent, isCurrent }) => (
        <>
          {deviceOf(userAgent)} {isCurrent && <Badge tone="good">This browser</Badge>}
        </>
      ),
    },
    { title: 'Address', cell: ({ address }) => address },
    { title: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    {
      title: 'Actions',
      isActions: true,
      cell: (each) =>
        !each.isCurrent && (
          <IconButton
            icon="exit"
            label={`Sign out ${deviceOf(each.userAgent)}`}
            title="Sign out"
            onClick={() => end(each)}
          />
        ),
    },
  ];
  const hasOthers = (list.data.value?.sessions.length ?? 0) > 1;
  return (
    <Section
      title="Sessions"
      description="Where you’re signed in. Sign out what you don’t recognize, and change your password."
      actions={hasOthers && <Button onClick={endOthers}>Sign out everywhere else</Button>}
    >
      <Load from={list}>
        {({ sessions }) => (
          <Table
            label="Your sessions"
            columns={columns}
            rows={sessions}
            keyOf={({ id }) => id}
            empty={undefined}
          />
        )}
      </Load>
    </Section>
  );
}
