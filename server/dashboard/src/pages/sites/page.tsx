import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function SitesPage() {
  return (
    <Page title="Sites" description="The documentation that Docent answers from.">
      <Empty icon="sites" title="No sites to show">
        Sites come from the configuration file.
      </Empty>
    </Page>
  );
}
