import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function InstallPage() {
  return (
    <Page title="Install" description="Add Docent to your documentation.">
      <Empty icon="install" title="Nothing to install yet">
        The script tag of a site appears here.
      </Empty>
    </Page>
  );
}
