import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function AuditPage() {
  return (
    <Page title="Audit log" description="Who did what, when, and from where.">
      <Empty icon="audit" title="No entries to show">
        Each change to keys, people, and jobs leaves an entry.
      </Empty>
    </Page>
  );
}
