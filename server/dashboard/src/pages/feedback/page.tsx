import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function FeedbackPage() {
  return (
    <Page title="Feedback" description="Ratings and comments from readers.">
      <Empty icon="feedback" title="No feedback yet">
        Readers rate answers with a thumb up or down.
      </Empty>
    </Page>
  );
}
