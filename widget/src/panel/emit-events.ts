/** Emits the events of a conversation, without its words. `watch`: runs effects. */
import { untracked } from '@preact/signals';
import type { Emit } from '../embed/events.ts';
import type { Session } from '../conversations/session.ts';

export function emitEvents(session: Session, emit: Emit, watch: (work: () => void) => void): void {
  let id = session.id.peek();
  let startedAt: number | undefined;
  watch(() => {
    const isBusy = session.isBusy.value;
    const now = session.id.value;
    untracked(() => {
      const wasBusy = startedAt !== undefined && now === id;
      id = now;
      if (isBusy) return void (startedAt ??= performance.now());
      const durationMs = Math.round(performance.now() - (startedAt ?? 0));
      startedAt = undefined;
      const last = session.messages.value.at(-1);
      if (!wasBusy || last?.role !== 'assistant') return;
      if (last.ended === 'stopped') return emit('stop', { messageId: last.id });
      if (session.problem.value) return;
      emit('answer', {
        threadId: session.threadId(),
        messageId: last.id,
        sources: last.sources.length,
        ...(last.status && { status: last.status }),
        durationMs,
      });
    });
  });
  watch(() => {
    const problem = session.problem.value;
    if (!problem) return;
    const { kind, canRetry: retryable, code, status } = problem;
    untracked(() =>
      emit('error', {
        kind,
        retryable,
        ...(code !== undefined && { code }),
        ...(status !== undefined && { status }),
      }),
    );
  });
}
