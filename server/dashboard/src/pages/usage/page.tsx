import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function UsagePage() {
  return (
    <Page title="Usage" description="Questions, tokens, and money.">
      <Empty icon="usage" title="No usage yet">
        Usage appears here once readers ask.
      </Empty>
    </Page>
  );
}
