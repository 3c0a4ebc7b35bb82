/** What the session allows: the pages, or the screens before them. */
import { useComputed } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBoundary, lazy, LocationProvider } from 'preact-iso';
import { type ApiError, connection, loadSession } from './api/client.ts';
import { base, isPreview, shareToken, to } from './base.ts';
import { Failure } from './components/empty.tsx';
import { toastError, Toasts } from './components/toast.tsx';
import { session, showsOnce } from './session.ts';
import { Screen } from './shell/screen.tsx';
import { Shell } from './shell/shell.tsx';
import { SecondFactor, SetUp, SignIn, SignInLink } from './shell/sign-in.tsx';

const EnrollSecondFactor = lazy(
  async () => (await import('./shell/enroll.tsx')).EnrollSecondFactor,
);

const Invitation = lazy(() => import('./pages/people/invitation.tsx'));

/** Links for people with and without a session. They lead on with a new document. */
const LinkScreen = new Map([
  [to('/invitation'), Invitation],
  [to('/link'), SignInLink],
]).get(location.pathname);

const Shared = lazy(() => import('./shell/shared.tsx'));
const Preview = lazy(() => import('./shell/preview.tsx'));

export const App = () =>
  isPreview ? <PreviewPage /> : shareToken === undefined ? <Dashboard /> : <SharedPage />;

/** Its links lead to other documents. */
const PreviewPage = () => (
  <ErrorBoundary onError={toastError}>
    <Preview />
  </ErrorBoundary>
);

/** What a shared link opens needs no session. */
const SharedPage = () => (
  <LocationProvider>
    <ErrorBoundary onError={toastError}>
      <Shared />
    </ErrorBoundary>
    <Toasts />
  </LocationProvider>
);

function Dashboard() {
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
    // Another tab may have signed out, and a role may have changed.
    const ask = () => !document.hidden && !showsOnce.peek() && void loadSession().catch(() => {});
    document.addEventListener('visibilitychange', ask);
    return () => document.removeEventListener('visibilitychange', ask);
  }, []);
  useEffect(() => {
    if (state === 'signed-in' && !LinkScreen) setPagesOf(`${person?.id} ${organization}`);
  }, [state, person?.id, organization]);

  return (
    <LocationProvider scope={base}>
      {!session.value && error && (
        <Screen title="Docent">
          <Failure error={error} reload={load} />
        </Screen>
      )}
      {state === 'setup' && <SetUp />}
      {LinkScreen && (state === 'signed-in' || state === 'signed-out') && (
        <ErrorBoundary onError={toastError}>
          <LinkScreen />
        </ErrorBoundary>
      )}
      {state === 'signed-out' && !LinkScreen && <SignIn />}
      {state === 'second-factor' && <SecondFactor />}
      {state === 'enroll-second-factor' && (
        <Screen title="Set up a second factor" description="Your organization requires one.">
          <ErrorBoundary onError={toastError}>
            <EnrollSecondFactor />
          </ErrorBoundary>
        </Screen>
      )}
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
