/** The screens before the pages: the first account, the password, and the second factor. */
import { useLocation } from 'preact-iso';
import { changeSession, loadSession, send } from '../api/client.ts';
import { base, serviceUrl, to } from '../base.ts';
import { Notice } from '../components/badge.tsx';
import { Field, Form, textOf } from '../components/form.tsx';
import { session } from '../session.ts';
import { Screen } from './screen.tsx';

const minPasswordLength = 12;

/** While nobody has an account. The server prints the address with the token. */
export function SetUp() {
  const { query, route } = useLocation();
  const token = query['token'] ?? '';
  const create = async (data: FormData) => {
    await changeSession('POST', '/v1/setup', {
      token: textOf(data, 'token'),
      email: textOf(data, 'email'),
      name: textOf(data, 'name'),
      password: data.get('password'),
    });
    // Where the person wanted to go. A path only, so it can't lead elsewhere.
    const [, next = '/'] = /^\/dashboard(\/[^/\\].*)$/.exec(query['next'] ?? '') ?? [];
    route(to(next), true);
  };
  return (
    <Screen
      title="Set up Docent"
      description="Create the first account. It owns this installation."
    >
      <Form submit="Create account" onSubmit={create}>
        <Field
          name="token"
          label="Setup token"
          help={
            <>
              The server printed it when it started. <code>docent users setup-token</code> prints a
              new one.
            </>
          }
        >
          <input required defaultValue={token} autoComplete="off" spellcheck={false} />
        </Field>
        <Field name="name" label="Your name">
          <input required autoComplete="name" maxLength={100} autoFocus={token !== ''} />
        </Field>
        <Field name="email" label="Email">
          <input required type="email" autoComplete="username" />
        </Field>
        <NewPassword />
      </Form>
    </Screen>
  );
}

export const NewPassword = ({ label = 'Password' }: { label?: string }) => (
  <Field
    name="password"
    label={label}
    help={`At least ${minPasswordLength} characters. A few words are easy to remember.`}
  >
    <input required type="password" autoComplete="new-password" minLength={minPasswordLength} />
  </Field>
);

/** A link from an administrator works once. With passwords, it's for choosing one. */
export function SignInLink() {
  const { token = '' } = useLocation().query;
  const { person, signIn } = session.value ?? {};
  const hasPasswords = signIn?.password !== false;
  const open = async (data: FormData) => {
    const password = hasPasswords ? { password: data.get('password') } : {};
    await send('POST', '/v1/session/link', { token, ...password });
    // The rest of the page forgets who was signed in before.
    location.assign(to('/'));
  };
  return (
    <Screen
      title={hasPasswords ? 'Choose a password' : 'Sign in to Docent'}
      description={
        person
          ? `You’re signed in with ${person.email}. This link works once, and signs you in with the account that it was made for.`
          : 'This link works once.'
      }
    >
      <Form submit={hasPasswords ? 'Save and sign in' : 'Sign in'} onSubmit={open}>
        {hasPasswords && <NewPassword />}
      </Form>
    </Screen>
  );
}

/** Why the identity provider's answer signed nobody in. The server knows more, and logs it. */
const failures: Readonly<Record<string, string>> = {
  unreachable: 'Single sign-on can’t be reached right now. Try again in a moment.',
  rejected: 'The sign-in took too long or wasn’t complete. Start again.',
  'no-account': 'You have no account here. Ask an administrator for an invitation.',
};

export function SignIn() {
  const { path, query } = useLocation();
  const failure = failures[query['failure'] ?? ''];
  // Single sign-on leads back to the page, as the password does.
  const next = new URLSearchParams({ next: `/dashboard${path.slice(base.length)}` }).toString();
  const { password = true, openId = null } = session.value?.signIn ?? {};
  const signIn = (data: FormData) =>
    changeSession('POST', '/v1/session', {
      email: textOf(data, 'email'),
      password: data.get('password'),
    });
  return (
    <Screen title="Sign in to Docent">
      {failure !== undefined && <Notice tone="warn">{failure}</Notice>}
      {openId && (
        <a
          class={password ? 'button wide' : 'button primary wide'}
          href={`${serviceUrl(openId.url)}?${next}`}
        >
          Continue with {openId.name}
        </a>
      )}
      {password && openId && <p class="or">or</p>}
      {password && (
        <Form submit="Sign in" onSubmit={signIn}>
          <Field name="email" label="Email">
            <input required type="email" autoComplete="username" autoFocus />
          </Field>
          <Field name="password" label="Password">
            <input required type="password" autoComplete="current-password" />
          </Field>
        </Form>
      )}
      {!password && !openId && (
        <Notice tone="warn">
          Passwords are turned off, and no other way to sign in is configured.
        </Notice>
      )}
    </Screen>
  );
}

export function SecondFactor() {
  const confirm = (data: FormData) =>
    changeSession('POST', '/v1/session/second-factor', { code: textOf(data, 'code') });
  return (
    <Screen
      title="Second factor"
      description="Enter the code from your authenticator app, or one of your recovery codes."
    >
      <Form submit="Continue" onSubmit={confirm} aside={<SignOut />}>
        <Field name="code" label="Code">
          <input required autoFocus autoComplete="one-time-code" spellcheck={false} />
        </Field>
      </Form>
    </Screen>
  );
}

const SignOut = () => (
  <button
    type="button"
    class="button"
    onClick={() => void send('DELETE', '/v1/session').then(loadSession)}
  >
    Cancel
  </button>
);
