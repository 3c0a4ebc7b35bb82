/** Feedback on an answer: stored at once, and sent as soon as possible. */
import { useEffect } from 'preact/hooks';
import type { Feedback, Message } from '../chat/message.ts';
import { type PanelDeps, useDeps } from './deps.ts';

/** If the code doesn't load, the feedback waits. */
export const sendLater = (messageId: string, deps: PanelDeps): void =>
  void import('./send-feedback.ts')
    .then(({ sendFeedback }) => sendFeedback(messageId, deps))
    .catch(() => {});

export function useFeedback({ id, feedback }: Message) {
  const deps = useDeps();
  const isWaiting = feedback?.isWaiting === true;
  const say = (next: Feedback) => {
    deps.session.setFeedback(id, { ...next, id: feedback?.id, isWaiting: true });
    sendLater(id, deps);
  };
  // Feedback of an earlier visit, and of a time without a connection.
  useEffect(() => {
    if (!isWaiting) return undefined;
    const again = () => sendLater(id, deps);
    again();
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [isWaiting, id]);
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
