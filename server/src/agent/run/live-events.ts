import { type AgentEvent, toolTextMaxLength } from '@docent/shared/agent-events';
import { hideOwnSecrets } from '../../platform/redaction/own-secrets.ts';
import type { LoopEvent } from '../loop/loop.ts';

/** The model's words are stored a few times a second, not one by one. */
const everyMs = 200;

export type LiveEvents = ReturnType<typeof createLiveEvents>;

/** Collects the events of a running loop and stores them in the job's log: in order, in batches, within 200 ms. */
export function createLiveEvents(deps: {
  save: (events: readonly AgentEvent[]) => Promise<void>;
  onError: (error: unknown) => void;
}) {
  let waiting: AgentEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();
  let isClosed = false;

  function save(): void {
    saving = saving
      .then(async () => {
        const events = take();
        if (events.length > 0) await deps.save(events);
      })
      .catch(deps.onError);
  }

  function take(): AgentEvent[] {
    clearTimeout(timer);
    timer = undefined;
    const events = waiting;
    waiting = [];
    return events;
  }

  return {
    add(event: LoopEvent | AgentEvent): void {
      if (isClosed) return;
      const last = waiting.at(-1);
      if (event.type === 'text' && last?.type === 'text') last.text += event.text;
      else waiting.push(toJobEvent(event));
      timer ??= setTimeout(save, everyMs);
    },

    /** Runs another write together with the events that aren't stored yet, after everything before it. */
    inOrder<Result>(write: (events: AgentEvent[]) => Promise<Result>): Promise<Result> {
      const written = saving.then(() => write(take()));
      saving = written.then(
        () => undefined,
        () => undefined,
      );
      return written;
    },

    /** Ignores all later events. */
    close(): void {
      isClosed = true;
    },
  };
}

function toJobEvent(event: LoopEvent | AgentEvent): AgentEvent {
  if (event.type === 'tool-call') {
    const { input } = event;
    return { ...event, input: cut(typeof input === 'string' ? input : JSON.stringify(input)) };
  }
  if (event.type === 'tool-result') return { ...event, output: cut(event.output) };
  return { ...event };
}

/** A secret that is cut off would no longer be recognized. */
function cut(said: string): string {
  const text = hideOwnSecrets(said);
  return text.length > toolTextMaxLength ? `${text.slice(0, toolTextMaxLength - 1)}…` : text;
}
