import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function ConversationsPage() {
  return (
    <Page title="Conversations" description="What readers asked, and what they got.">
      <Empty icon="conversations" title="No conversations yet">
        They appear here once readers ask.
      </Empty>
    </Page>
  );
}
