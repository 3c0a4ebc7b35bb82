/** Feedback on an answer: stored at once, and sent as soon as possible. */
import { useEffect } from 'preact/hooks';
import type { Feedback, Message } from '../chat/message.ts';
import { type PanelDeps, useDeps } from './deps.ts';

async function tell(messageId: string, deps: PanelDeps): Promise<void> {
  const { tellFeedback } = await import('./send-feedback.ts');
  await tellFeedback(messageId, deps);
}

export function useFeedback({ id, feedback }: Message) {
  const deps = useDeps();
  const say = (next: Feedback) => {
    deps.session.setFeedback(id, { ...next, id: feedback?.id, isWaiting: true });
    // If the code doesn't load, the feedback waits.
    void tell(id, deps).catch(() => {});
  };
  useWaiting(id, feedback?.isWaiting === true, deps);
  return {
    rate(rating: 'up' | 'down') {
      say({ rating });
      deps.emit('feedback', { messageId: id, rating });
    },
    explain: (more: Pick<Feedback, 'reasons' | 'note' | 'path'>) =>
      say({ rating: feedback?.rating, ...more }),
    takeBack: () => say({ rating: undefined }),
  };
}

/** Sends waiting feedback when the panel opens again, and when the browser comes back online. */
function useWaiting(messageId: string, isWaiting: boolean, deps: PanelDeps): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    const again = () => void tell(messageId, deps).catch(() => {});
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [isWaiting, messageId]);
  useEffect(() => {
    if (isWaiting) void tell(messageId, deps).catch(() => {});
  }, []);
}
