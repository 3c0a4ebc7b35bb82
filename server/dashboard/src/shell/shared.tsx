/** What a shared link opens, without an account. */
import '../pages/projects/projects.css';
import type { SharedReply } from '@docent/shared/job-pages';
import type { SessionReply } from '@docent/shared/people';
import { useLayoutEffect } from 'preact/hooks';
import { useGet } from '../api/load.ts';
import { serviceUrl, shareToken } from '../base.ts';
import { Failure } from '../components/empty.tsx';
import { Visible } from '../components/foreign.tsx';
import { Logo } from '../components/icons.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { JobBody } from '../pages/projects/job.tsx';
import { PullBody } from '../pages/projects/pull.tsx';
import { Screen } from './screen.tsx';

export default function Shared() {
  const loaded = useGet<SharedReply>('/v1/shared');
  const error = loaded.error.value;
  const data = loaded.data.value;
  const title = !data ? 'Docent' : data.page === 'job' ? data.view.title : data.view.pull.title;
  useLayoutEffect(() => void (document.title = data ? `${title} · Docent` : title), [title]);
  if (error && (!data || error.status < 500)) return <Closed message={error.message} />;
  return (
    <div class="shared">
      <header>
        <Logo /> Docent
      </header>
      <main class="page">
        {!data &&
          (error ? <Failure error={error} reload={loaded.reload} /> : <Skeleton lines={10} />)}
        {data && (
          <header class="page-head">
            <div class="page-title">
              <h1>
                <Visible text={title} />
              </h1>
            </div>
          </header>
        )}
        {data?.page === 'job' && (
          <JobBody view={data.view} loaded={loaded} logPath="/v1/shared/events" isShared />
        )}
        {data?.page === 'pull' && <PullBody view={data.view} loaded={loaded} isShared />}
      </main>
    </div>
  );
}

/** The link opens nothing. Who has an account goes to the page of the dashboard, where there is one. */
function Closed({ message }: { message: string }) {
  const session = useGet<SessionReply>('/v1/session');
  const page = location.pathname.slice(new URL(serviceUrl('')).pathname.replace(/\/$/, '').length);
  return (
    <Screen title="Sign in to open this page">
      {shareToken === '' ? (
        <p>It’s for people with an account in the organization of this project.</p>
      ) : (
        <p class="notice bad" role="alert">
          {message}
        </p>
      )}
      {session.data.value && (
        <p>
          <a class="button primary" href={serviceUrl(`/dashboard${page}`)}>
            Sign in
          </a>
        </p>
      )}
      {session.error.value && (
        <p>
          Nobody can sign in at this address. If your team has a dashboard, open the page from
          there.
        </p>
      )}
      <p class="quiet">
        Without an account, you can read a job or a pull request by a shared link. Ask somebody with
        an account for one.
      </p>
    </Screen>
  );
}
