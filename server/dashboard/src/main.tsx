import './styles/base.css';
import './styles/shell.css';
import './styles/screen.css';
import './styles/content.css';
import './styles/table.css';
import './styles/form.css';
import './styles/overlay.css';
import { render } from 'preact';
import { App } from './app.tsx';

// What most pages share comes with the first file, instead of in a dozen small ones.
import.meta.glob(['./components/*.tsx', '!**/*.test.tsx'], {
  eager: true,
});

// After an update, the old files are gone. The new page knows the new ones.
addEventListener('vite:preloadError', () => {
  const key = 'docent-dashboard-reloaded';
  const isRecent = Date.now() - Number(sessionStorage.getItem(key)) < 60_000;
  sessionStorage.setItem(key, String(Date.now()));
  if (!isRecent) location.reload();
});

const root = document.getElementById('app');
if (!root) throw new Error('index.html has the element');
root.replaceChildren();
render(<App />, root);
