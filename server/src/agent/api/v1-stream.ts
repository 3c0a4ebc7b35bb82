/**
 * A job's run as the data stream of chat SDK 4 (service document: "body of the stream: not shown"): lines
 * of a code, a colon and JSON. What the agent says is text, its tools are tool calls, and all else stands
 * in annotations, which every release of SDK 4 knows.
 */
import type { AgentJob, AgentSession } from '@docent/shared/agent';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import {
  dataStreamAnnotation as annotation,
  dataStreamHeaders,
  dataStreamHeartbeat,
  dataStreamLine as line,
} from '../../platform/http/stream.ts';

export interface SessionStreamOptions {
  id: string;
  branch: string;
  /** The client knows `f:`, which the first releases of SDK 4 refuse, and steps within one message. */
  isRecent: boolean;
}

export function createSessionStream({ id, branch, isRecent }: SessionStreamOptions) {
  let hasBegun = false;
  /** Something stands between the last text and the next. */
  let isApart = false;
  let said = '';
  let inputTokens = 0;
  let outputTokens = 0;

  const usage = () => ({ promptTokens: inputTokens, completionTokens: outputTokens });

  function begin(): string {
    if (hasBegun) return '';
    hasBegun = true;
    const about = annotation({ type: 'session', sessionId: id, branch });
    return isRecent ? line('f', { messageId: id }) + about : about;
  }

  /** The SDK puts all text of a message together: what is said apart stands apart. */
  function text(words: string): string {
    if (words === '') return '';
    const apart = isApart && said !== '' ? '\n\n' : '';
    isApart = false;
    said += apart + words;
    return line('0', apart + words);
  }

  function encodeOne(entry: AgentLogEntry): string {
    switch (entry.type) {
      case 'text':
        return text(entry.text);
      case 'tool-call':
        isApart = true;
        return line('9', {
          toolCallId: entry.id,
          toolName: entry.name,
          args: toArguments(entry.input),
        });
      case 'tool-result':
        return line('a', { toolCallId: entry.id, result: entry.output });
      case 'step':
        isApart = true;
        inputTokens += entry.inputTokens;
        outputTokens += entry.outputTokens;
        // The first releases begin a new message after each step.
        if (!isRecent) return '';
        return line('e', {
          finishReason: 'tool-calls',
          usage: { promptTokens: entry.inputTokens, completionTokens: entry.outputTokens },
          isContinued: false,
        });
      case 'completed': {
        isApart = true;
        const { message, prLink } = entry;
        const isNew = message !== null && !said.endsWith(message);
        return text((isNew ? [message, prLink] : [prLink]).filter(Boolean).join('\n\n'));
      }
      case 'queued':
      case 'todos':
      case 'denied':
      case 'checks':
      case 'pull-request': {
        const { seq: _seq, at: _at, ...event } = entry;
        return annotation(event);
      }
      case 'started':
      case 'message':
      case 'compacted':
      case 'cancel-requested':
      case 'failed':
      case 'archived':
        return '';
    }
  }

  return {
    headers: dataStreamHeaders,
    heartbeat: dataStreamHeartbeat,
    encode: (entry: AgentLogEntry): string => begin() + encodeOne(entry),

    /** The last lines: how the session stands now that no more events come. */
    end(session: AgentSession, status: AgentJob['status']): string {
      const now = begin() + annotation({ type: 'session', ...session });
      const { sessionId, pullRequestLink } = session;
      if (status === 'active') {
        return now + line('3', 'The service stops. The job goes on; read it by its id.');
      }
      if (status === 'failed') return now + line('3', session.messageToUser);
      const finish = { finishReason: 'stop', usage: usage() };
      return (
        now +
        line('2', [{ type: 'finish', sessionId, pullRequestLink }]) +
        line('e', { ...finish, isContinued: false }) +
        line('d', { ...finish, type: 'finish', sessionId, pullRequestLink })
      );
    },
  };
}

/** A long input is kept cut, and is no JSON any more. */
function toArguments(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return { input };
  }
}
