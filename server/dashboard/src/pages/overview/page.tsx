import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function OverviewPage() {
  return (
    <Page title="Overview" description="How readers use your documentation, and what needs you.">
      <Empty icon="overview" title="Nothing to show yet">
        Figures appear here once readers ask.
      </Empty>
    </Page>
  );
}
