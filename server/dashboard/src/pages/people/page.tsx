/** The people of the organization: roles, second factors, sessions, and invitations. */
import type { Invitation, Member } from '@docent/shared/members';
import { isAtLeast, type Role, roles } from '@docent/shared/roles';
import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useList } from '../../api/load.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Empty } from '../../components/empty.tsx';
import { Select } from '../../components/filters.tsx';
import { Icon } from '../../components/icons.tsx';
import { formatNumber } from '../../components/number.tsx';
import { Page, Section } from '../../components/page.tsx';
import { type Column, Table, Two } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { can, session } from '../../session.ts';
import { Invite } from './invite.tsx';
import { roleNames, roleWords } from './role-words.ts';

export default function PeoplePage() {
  const people = useList<Member>('/v1/people', 'people');
  const invitations = useList<Invitation>('/v1/invitations', 'invitations');
  const [isInviting, setInviting] = useState(false);
  const { role: own = 'viewer', person } = session.value ?? {};
  const mayManage = (member: Member) => can('PATCH /v1/people/{id}') && isAtLeast(own, member.role);

  const askToChange = (member: Member, role: Role) => {
    const isSelf = member.id === person?.id;
    confirm({
      title: isSelf ? `Become ${withArticle(role)}?` : `Make ${member.name} ${withArticle(role)}?`,
      consequences: `${roleWords[role]} ${
        isSelf
          ? 'You sign in again, and can’t take your role back yourself.'
          : `${member.name} is signed out, and has the new role after signing in again.`
      }`,
      action: 'Change role',
      isHarmless: true,
      run: async () => {
        await send('PATCH', `/v1/people/${member.id}`, { role, was: member.role });
        if (isSelf) return location.reload();
        toast(`${member.name} is now ${withArticle(role)}`);
        return people.reload();
      },
    });
    // The menu shows the role that the person has until it's changed.
    void people.reload();
  };

  const columns: readonly Column<Member>[] = [
    {
      title: 'Person',
      sortBy: ({ name }) => name.toLowerCase(),
      cell: ({ id, name, email, isDisabled }) => (
        <Two
          first={
            <span class="row">
              {name} {id === person?.id && <Badge>You</Badge>}
              {isDisabled && <Badge tone="bad">Disabled</Badge>}
            </span>
          }
        >
          {email}
        </Two>
      ),
    },
    {
      title: 'Role',
      sortBy: ({ role }) => roles.indexOf(role),
      cell: (member) =>
        mayManage(member) ? (
          <Select
            key={member.role}
            label={`Role of ${member.name}`}
            value={member.role}
            options={roles
              .filter((role) => isAtLeast(own, role))
              .map((role) => ({ value: role, label: roleNames[role] }))}
            onChange={(role) => askToChange(member, role as Role)}
          />
        ) : (
          roleNames[member.role]
        ),
    },
    {
      title: 'Second factor',
      sortBy: ({ hasSecondFactor }) => Number(hasSecondFactor),
      cell: ({ hasSecondFactor }) =>
        hasSecondFactor ? <Badge tone="good">On</Badge> : <span class="quiet">Off</span>,
    },
    {
      title: 'Last seen',
      sortBy: ({ lastSeenAt }) => lastSeenAt ?? undefined,
      cell: ({ lastSeenAt }) =>
        lastSeenAt ? <Time at={lastSeenAt} /> : <span class="quiet">Never</span>,
    },
    {
      title: 'Signed in',
      sortBy: ({ sessions }) => sessions,
      cell: ({ sessions }) =>
        sessions === 0 ? (
          <span class="quiet">No</span>
        ) : (
          `${formatNumber(sessions)} ${sessions === 1 ? 'browser' : 'browsers'}`
        ),
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (member) =>
        mayManage(member) && (
          <>
            {member.sessions > 0 && member.id !== person?.id && (
              <IconButton
                icon="exit"
                label={`Sign ${member.name} out`}
                title="Sign out everywhere"
                onClick={() => askToSignOut(member, people.reload)}
              />
            )}
            <IconButton
              icon="delete"
              label={member.id === person?.id ? 'Leave' : `Remove ${member.name}`}
              title={member.id === person?.id ? 'Leave' : 'Remove'}
              onClick={() => askToRemove(member, people.reload)}
            />
          </>
        ),
    },
  ];

  const invite = can('POST /v1/invitations') && (
    <Button kind="primary" onClick={() => setInviting(true)}>
      <Icon name="plus" />
      Invite
    </Button>
  );
  const open = invitations.rows.value ?? [];

  return (
    <Page
      title="People"
      description={`Who uses this dashboard for ${session.value?.organization}.`}
      actions={invite}
    >
      <Table
        label="People"
        list={people}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty icon="people" title="Nobody is here" actions={invite} />}
      />
      {open.length > 0 && (
        <Section title="Invitations" description="Links that nobody has used yet.">
          <Table
            label="Invitations"
            list={invitations}
            columns={invitationColumns(invitations.reload)}
            keyOf={({ id }) => id}
            empty={null}
          />
        </Section>
      )}
      <Section title="What each role may do" description="Each role includes the ones above it.">
        <dl class="facts">
          {roles.map((role) => (
            <div key={role}>
              <dt>{roleNames[role]}</dt>
              <dd>{roleWords[role]}</dd>
            </div>
          ))}
        </dl>
      </Section>
      {isInviting && (
        <Invite own={own} onClose={() => setInviting(false)} onInvited={invitations.reload} />
      )}
    </Page>
  );
}

const invitationColumns = (reload: () => Promise<void>): readonly Column<Invitation>[] => [
  { title: 'For', cell: ({ email }) => email ?? 'Anyone with the link' },
  { title: 'Role', cell: ({ role }) => roleNames[role] },
  { title: 'Invited by', cell: ({ createdBy }) => createdBy.name ?? 'Somebody' },
  { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  {
    title: 'Actions',
    isActions: true,
    cell: ({ id, email }) =>
      can('DELETE /v1/invitations/{id}') && (
        <IconButton
          icon="delete"
          label={`Revoke the invitation${email ? ` for ${email}` : ''}`}
          title="Revoke"
          onClick={() =>
            confirm({
              title: 'Revoke this invitation?',
              consequences: 'Its link stops working at once. You can make another one.',
              action: 'Revoke invitation',
              run: async () => {
                await send('DELETE', `/v1/invitations/${id}`);
                toast('The invitation is revoked');
                await reload();
              },
            })
          }
        />
      ),
  },
];

function askToSignOut({ id, name, sessions }: Member, reload: () => Promise<void>): void {
  confirm({
    title: `Sign ${name} out?`,
    consequences: `${sessions === 1 ? 'The browser' : `All ${formatNumber(sessions)} browsers`} with this account must sign in again. Text that isn’t saved yet stays on the screen.`,
    action: 'Sign out everywhere',
    run: async () => {
      await send('DELETE', `/v1/people/${id}/sessions`);
      toast(`${name} is signed out`);
      await reload();
    },
  });
}

function askToRemove({ id, name }: Member, reload: () => Promise<void>): void {
  const isSelf = id === session.value?.person?.id;
  const organization = session.value?.organization;
  confirm({
    title: isSelf ? `Leave ${organization}?` : `Remove ${name}?`,
    consequences: isSelf
      ? 'You lose access at once. An administrator can invite you again.'
      : `${name} loses access to ${organization} with the next request. API keys, jobs, and log entries of this person stay. You can invite them again.`,
    action: isSelf ? 'Leave' : 'Remove',
    run: async () => {
      await send('DELETE', `/v1/people/${id}`);
      if (isSelf) return location.reload();
      toast(`${name} is removed`);
      return reload();
    },
  });
}

const withArticle = (role: Role) => `${role === 'viewer' ? 'a' : 'an'} ${role}`;
