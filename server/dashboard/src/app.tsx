/** What the session allows: the pages, or the screens before them. */
import { useComputed } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { LocationProvider } from 'preact-iso';
import { type ApiError, connection, loadSession } from './api/client.ts';
import { base } from './base.ts';
import { Failure } from './components/empty.tsx';
import { Toasts } from './components/toast.tsx';
import { session } from './session.ts';
import { Screen } from './shell/screen.tsx';
import { Shell } from './shell/shell.tsx';
import { SecondFactor, SetUp, SignIn } from './shell/sign-in.tsx';

export function App() {
  const [error, setError] = useState<ApiError>();
  const state = useComputed(() => session.value?.state).value;
  // A page stays below the sign-in screen when its session ends, with what was typed. Another person gets a new one.
  const { person, organization } = session.value ?? {};
  const [pagesOf, setPagesOf] = useState<string>();
  const load = () => void loadSession().then(() => setError(undefined), setError);
  useEffect(() => {
    if (!session.peek()) load();
  }, [connection.value]);
  useEffect(() => {
    if (state === 'signed-in') setPagesOf(`${person?.id} ${organization}`);
  }, [state, person?.id, organization]);

  return (
    <LocationProvider scope={base}>
      {!session.value && error && (
        <Screen title="Docent">
          <Failure error={error} reload={load} />
        </Screen>
      )}
      {state === 'setup' && <SetUp />}
      {state === 'signed-out' && <SignIn />}
      {state === 'second-factor' && <SecondFactor />}
      {pagesOf !== undefined && <Shell key={pagesOf} isHidden={state !== 'signed-in'} />}
      {connection.value === 'lost' && (
        <p class="banner" role="alert">
          The connection to Docent is lost. This page updates when it’s back.
        </p>
      )}
      <Toasts />
    </LocationProvider>
  );
}
