import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function PeoplePage() {
  return (
    <Page title="People" description="Who may use this dashboard, and for what.">
      <Empty icon="people" title="Nobody to show">
        People join by invitation.
      </Empty>
    </Page>
  );
}
