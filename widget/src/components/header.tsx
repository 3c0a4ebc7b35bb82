import { useParts } from '../parts.ts';
import { menuItems } from '../menu-items.ts';
import { useText } from '../text/text.ts';
import { IconButton } from './icon-button.tsx';
import { CloseIcon, NewIcon } from './icons.tsx';
import { Menu } from './menu.tsx';

export function Header() {
  const { settings, session, field, startNew, close } = useParts();
  const { panel: text } = useText();
  return (
    <div class="header">
      <h2 id="docent-title" class="title">
        {settings.value.title ?? text.title}
      </h2>
      <IconButton
        testId="docent-new"
        name={text.newConversation}
        disabled={session.isEmpty.value}
        onClick={() => {
          startNew();
          field.current?.focus();
        }}
      >
        <NewIcon />
      </IconButton>
      <Menu items={menuItems} />
      {settings.value.layout !== 'inline' && (
        <IconButton testId="docent-close" name={text.close} onClick={close}>
          <CloseIcon />
        </IconButton>
      )}
    </div>
  );
}
