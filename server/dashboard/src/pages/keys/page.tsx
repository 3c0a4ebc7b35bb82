import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function KeysPage() {
  return (
    <Page title="API keys" description="Keys for your pages and for your own programs.">
      <Empty icon="keys" title="No keys to show">
        A page needs a key to ask questions.
      </Empty>
    </Page>
  );
}
