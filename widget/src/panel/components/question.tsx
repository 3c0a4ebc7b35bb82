import type { Message } from '../../chat/message.ts';
import { linkToAsk } from '../deep-link.ts';
import { useDeps } from '../deps.ts';
import { useText } from '../../text/text.ts';
import { Chips } from './chips.tsx';
import { CopyButton } from './copy-button.tsx';
import { IconButton } from './icon-button.tsx';
import { EditIcon, LinkIcon } from './icons.tsx';
import { useLazy } from './use-lazy.ts';

export function Question({ message }: { message: Message }) {
  const { settings, editing } = useDeps();
  const text = useText();
  const isEditing = editing.value === message.id;
  const { module: editor } = useLazy(isEditing, () => import('./question-editor.tsx'));
  const link = linkToAsk(message.text, settings.value.deepLink, location.href);
  return (
    <article
      class="question"
      part="message question"
      data-testid="docent-question"
      aria-label={text.you}
    >
      {isEditing && editor ? (
        <editor.QuestionEditor message={message} />
      ) : (
        <>
          <Chips items={message.context} />
          <p class="question-text">{message.text}</p>
          <div class="question-actions">
            {link && (
              <CopyButton
                value={link}
                name={text.copyLink}
                testId="docent-copy-link"
                Icon={LinkIcon}
              />
            )}
            <IconButton
              class="icon-button small"
              testId="docent-edit"
              name={text.edit}
              onClick={() => (editing.value = message.id)}
              icon={EditIcon}
            />
          </div>
        </>
      )}
    </article>
  );
}
