import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function JobsPage() {
  return (
    <Page
      title="Jobs"
      description="Changes to your documentation, from instruction to pull request."
    >
      <Empty icon="jobs" title="No jobs yet">
        A job turns an instruction into a pull request.
      </Empty>
    </Page>
  );
}
