import { Snippet } from '../../components/copy.tsx';
import { Empty } from '../../components/empty.tsx';

const configuration = `projects: [
  {
    id: 'docs',
    organization: 'acme',
    repository: 'https://github.com/acme/docs',
    github: { tokenEnv: 'DOCS_GITHUB_TOKEN' },
  },
],`;

export const NoProjects = () => (
  <>
    <Empty icon="jobs" title="No projects in this organization">
      A project is a repository that jobs can change. Administrators connect one with the button
      above. Or add it to the configuration file, and restart Docent:
    </Empty>
    <Snippet text={configuration} label="Copy configuration" />
  </>
);
