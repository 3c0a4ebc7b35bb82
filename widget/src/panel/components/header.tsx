import { useDeps } from '../deps.ts';
import { menuItems } from '../menu-items.ts';
import { useText } from '../../text/text.ts';
import { IconButton } from './icon-button.tsx';
import { CloseIcon, HistoryIcon, NewIcon } from './icons.tsx';
import { Menu } from './menu.tsx';

export function Header() {
  const { settings, session, deletions, field, view, startNew, close } = useDeps();
  const text = useText();
  return (
    <div class="header" part="header">
      <h2 id="docent-title" class="title" part="title">
        {settings.value.title ?? text.title}
      </h2>
      {(session.conversations.value.length > 0 || deletions.failed.value > 0) && (
        <IconButton
          testId="docent-history"
          name={text.threadsTitle}
          aria-pressed={view.value === 'threads'}
          onClick={() => (view.value = view.value === 'threads' ? 'conversation' : 'threads')}
          icon={HistoryIcon}
        />
      )}
      <IconButton
        testId="docent-new"
        name={text.newConversation}
        disabled={session.isEmpty.value}
        onClick={() => {
          startNew();
          field.current?.focus();
        }}
        icon={NewIcon}
      />
      <Menu items={menuItems} />
      {settings.value.layout !== 'inline' && (
        <IconButton testId="docent-close" name={text.close} onClick={close} icon={CloseIcon} />
      )}
    </div>
  );
}
