import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function GapsPage() {
  return (
    <Page title="Gaps" description="Questions that your documentation doesn’t answer.">
      <Empty icon="gaps" title="No gaps yet">
        Questions without an answer are grouped here.
      </Empty>
    </Page>
  );
}
