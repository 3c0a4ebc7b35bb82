import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function HealthPage() {
  return (
    <Page title="Health" description="Whether every part of the service works.">
      <Empty icon="health" title="No checks to show">
        The state of each part appears here.
      </Empty>
    </Page>
  );
}
