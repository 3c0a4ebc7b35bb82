import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function ProfilePage() {
  return (
    <Page title="Your profile" description="Your password, second factor, and sessions.">
      <Empty icon="profile" title="Nothing to show yet">
        You change your password and second factor here.
      </Empty>
    </Page>
  );
}
