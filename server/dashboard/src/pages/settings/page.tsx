import { Empty } from '../../components/empty.tsx';
import { Page } from '../../components/page.tsx';

export default function SettingsPage() {
  return (
    <Page
      title="Settings"
      description="The configuration in effect, and where each value comes from."
    >
      <Empty icon="settings" title="No settings to show">
        They come from the configuration file and the environment.
      </Empty>
    </Page>
  );
}
