import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function PlaygroundPage() {
  return (
    <Page title="Playground" description="Ask as a reader, and see how the answer came about.">
      <Empty icon="playground" title="Nothing asked yet">
        The trace of a question appears here.
      </Empty>
    </Page>
  );
}
