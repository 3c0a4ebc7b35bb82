import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function WebhooksPage() {
  return (
    <Page title="Webhooks" description="Addresses that Docent tells about jobs and budgets.">
      <Empty icon="webhooks" title="No webhooks to show">
        Webhooks come from the configuration file.
      </Empty>
    </Page>
  );
}
