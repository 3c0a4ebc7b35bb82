import { changeSession, send } from '../api/client.ts';
import { to } from '../base.ts';
import { Segmented } from '../components/filters.tsx';
import { Icon } from '../components/icons.tsx';
import { toastError } from '../components/toast.tsx';
import { session } from '../session.ts';
import { theme, type Theme } from '../theme.ts';

const themes = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** The rest of the page forgets what it knows, so nothing of this person stays. */
export const signOut = () =>
  void send('DELETE', '/v1/session')
    .then(() => location.assign(to('/')))
    .catch(toastError);

export function AccountMenu() {
  const { person, organization, organizations = [], role, version } = session.value ?? {};
  if (!person) return null;
  return (
    <div class="account">
      <button type="button" popoverTarget="account">
        <span class="unseen">Account:</span>
        <span class="avatar" aria-hidden="true">
          {initials(person.name || person.email)}
        </span>
        <span class="account-name">
          <strong>{person.name || person.email}</strong>
          <span>{organization}</span>
        </span>
        <Icon name="chevrons" />
      </button>
      <div class="menu" id="account" popover="auto">
        <p>
          {person.email}
          <br />
          {role && `${role[0]?.toUpperCase()}${role.slice(1)} of ${organization}`}
        </p>
        {organizations.length > 1 && (
          <fieldset>
            <legend>Organization</legend>
            {organizations.map(({ name }) => (
              <button
                key={name}
                type="button"
                aria-pressed={name === organization}
                onClick={() =>
                  void changeSession('PATCH', '/v1/session', { organization: name }).catch(
                    toastError,
                  )
                }
              >
                {name}
                {name === organization && <Icon name="check" />}
              </button>
            ))}
          </fieldset>
        )}
        <Segmented
          label="Theme"
          value={theme.value}
          options={themes}
          onChange={(value) => (theme.value = value as Theme)}
        />
        <a
          href={to('/profile')}
          onClick={({ currentTarget }) =>
            currentTarget.closest<HTMLElement>('.menu')?.hidePopover()
          }
        >
          <Icon name="profile" />
          Your profile
        </a>
        <button type="button" onClick={signOut}>
          <Icon name="exit" />
          Sign out
        </button>
        <p>Docent {version}</p>
      </div>
    </div>
  );
}

const initials = (name: string) =>
  name
    .split(/[\s@]+/)
    .map((word) => word.slice(0, 1))
    .slice(0, 2)
    .join('')
    .toUpperCase();
