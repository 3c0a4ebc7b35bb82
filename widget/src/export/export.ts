import { adoptStyles } from '../styles/adopt-styles.ts';
import css from '../styles/toast.css?inline';
import { copyText } from '../panel/copy-text.ts';
import type { PanelDeps } from '../panel/deps.ts';
import type { Text } from '../text/text.ts';
import { conversationToMarkdown } from './markdown.ts';

function toMarkdown({ session, settings }: PanelDeps, text: Text): { title: string; text: string } {
  const row = session.conversations.value.find(({ id }) => id === session.id.value);
  const title = row?.title ?? settings.value.title ?? text.title;
  return { title, text: conversationToMarkdown(title, session.messages.value, text) };
}

export async function copyConversation(deps: PanelDeps, text: Text): Promise<void> {
  const isCopied = await copyText(toMarkdown(deps, text).text).then(
    () => true,
    () => false,
  );
  if (isCopied) deps.emit('copy', { what: 'conversation' });
  const words = isCopied ? text.conversationCopied : text.notCopied;
  showToast(deps, words);
}

/** `How do I install it?` becomes `how-do-i-install-it.md`. Letters of all scripts stay. */
export function fileNameOf(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? ['conversation'];
  return `${words.join('-').slice(0, 60).replace(/-$/, '')}.md`;
}

export function downloadConversation(deps: PanelDeps, text: Text): void {
  const { title, text: markdown } = toMarkdown(deps, text);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([markdown], { type: 'text/markdown' }));
  link.download = fileNameOf(title);
  // In our shadow root, so that the page's handlers don't see a link of the page.
  deps.shadow.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const shownMs = 2500;

/** Shows a short message over the panel and announces it. */
function showToast({ shadow, announce }: PanelDeps, words: string): void {
  const removeStyles = adoptStyles(shadow, css);
  const toast = document.createElement('p');
  toast.className = 'toast';
  toast.ariaHidden = 'true';
  toast.dataset['testid'] = 'docent-toast';
  toast.textContent = words;
  // Inside the panel, because an open modal covers everything else.
  shadow.querySelector('.panel')?.append(toast);
  announce(words);
  setTimeout(() => {
    toast.remove();
    removeStyles();
  }, shownMs);
}
