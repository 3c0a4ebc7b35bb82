/** How the language models that Docent knows speak, as far as the AI SDK's providers listen. */
import type { ModelRequest } from './scripted-model.ts';

export interface ToolCall {
  id: string;
  name: string;
  /** JSON as the model writes it, right or wrong. */
  input: string;
}

/** What an answer has cost. */
export interface Tokens {
  input: number;
  output: number;
}

/** One answer on the wire; it counts its parts. */
interface Wire {
  begin(): string[];
  delta(text: string): string;
  call(call: ToolCall): string[];
  /** `reason` is in OpenAI's words; `tool_calls` where it is left out and there were some. */
  end(body: ModelRequest['body'], tokens: Tokens, reason?: string): string[];
}

/** The wire that belongs to a path; the chat completions of OpenAI unless it is another's. */
export function wireOf(path: string): Wire {
  if (path.endsWith('/responses')) return createResponsesWire();
  return path.endsWith('/messages') ? createAnthropicWire() : createChatWire();
}

/** Arguments arrive in pieces, cut where it is least convenient. */
const halves = (text: string) => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const usage = ({ input, output }: Tokens) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

/** `POST /v1/chat/completions` */
export const chatWire = {
  chunk: (delta: object, finish: string | null = null) =>
    event({
      id: 'chatcmpl-scripted',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'scripted',
      choices: [{ index: 0, delta, finish_reason: finish }],
    }),
  begin: () => [chatWire.chunk({ role: 'assistant', content: '' })],
  delta: (content: string) => chatWire.chunk({ content }),
  end: (body: ModelRequest['body'], tokens: Tokens, reason = 'stop') => {
    const options = body['stream_options'] as { include_usage?: boolean } | undefined;
    return [
      chatWire.chunk({}, reason),
      ...(options?.include_usage
        ? [event({ id: 'chatcmpl-scripted', choices: [], usage: usage(tokens) })]
        : []),
      'data: [DONE]\n\n',
    ];
  },
  whole: (text: string, calls: ToolCall[], tokens: Tokens) => ({
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'scripted',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, name, input }) => ({
              id,
              type: 'function',
              function: { name, arguments: input },
            })),
          }),
        },
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: usage(tokens),
  }),
};

function createChatWire(): Wire {
  let calls = 0;
  return {
    begin: chatWire.begin,
    delta: chatWire.delta,
    call({ id, name, input }) {
      const index = calls++;
      const call = (delta: object) => chatWire.chunk({ tool_calls: [{ index, ...delta }] });
      return [
        call({ id, type: 'function', function: { name, arguments: '' } }),
        ...halves(input).map((piece) => call({ function: { arguments: piece } })),
      ];
    },
    end: (body, tokens, reason = calls > 0 ? 'tool_calls' : 'stop') =>
      chatWire.end(body, tokens, reason),
  };
}

/** `POST /v1/responses`, as far as the AI SDK's `openai` provider reads it. */
function createResponsesWire(): Wire {
  let sequence = 0;
  let items = 0;
  /** Number of the message that text goes into; it ends where a tool is called. */
  let open: number | undefined;
  const say = (data: object) => event({ sequence_number: sequence++, ...data });
  const message = (index: number) => ({ type: 'message', id: `msg_${index}`, role: 'assistant' });

  function openText(): string[] {
    if (open !== undefined) return [];
    open = items++;
    const item = { ...message(open), status: 'in_progress', content: [] };
    return [say({ type: 'response.output_item.added', output_index: open, item })];
  }

  function closeText(): string[] {
    if (open === undefined) return [];
    const item = { ...message(open), status: 'completed', content: [] };
    const line = say({ type: 'response.output_item.done', output_index: open, item });
    open = undefined;
    return [line];
  }

  return {
    begin: () => [
      say({
        type: 'response.created',
        response: { id: 'resp_1', created_at: 1_700_000_000, model: 'scripted' },
      }),
    ],
    delta(delta) {
      const before = openText();
      const at = { item_id: `msg_${open}`, output_index: open, content_index: 0 };
      return [...before, say({ type: 'response.output_text.delta', ...at, delta })].join('');
    },
    call({ id, name, input }) {
      const before = closeText();
      const index = items++;
      const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name };
      const at = { output_index: index, item_id: item.id };
      const added = { ...item, arguments: '' };
      const done = { ...item, arguments: input, status: 'completed' };
      return [
        ...before,
        say({ type: 'response.output_item.added', output_index: index, item: added }),
        ...halves(input).map((delta) =>
          say({ type: 'response.function_call_arguments.delta', ...at, delta }),
        ),
        say({ type: 'response.function_call_arguments.done', ...at, arguments: input }),
        say({ type: 'response.output_item.done', output_index: index, item: done }),
      ];
    },
    end: (_body, { input, output }, reason) => [
      ...closeText(),
      say({
        type: reason === 'length' ? 'response.incomplete' : 'response.completed',
        response: {
          ...(reason === 'length' && { incomplete_details: { reason: 'max_output_tokens' } }),
          usage: { input_tokens: input, output_tokens: output },
        },
      }),
    ],
  };
}

/** `POST /v1/messages` of Anthropic. */
function createAnthropicWire(): Wire {
  let blocks = 0;
  let calls = 0;
  /** Number of the block that text goes into; it ends where a tool is called. */
  let open: number | undefined;
  const start = (content_block: object) =>
    event({ type: 'content_block_start', index: blocks++, content_block });
  const delta = (index: number, piece: object) =>
    event({ type: 'content_block_delta', index, delta: piece });
  const stop = (index: number) => event({ type: 'content_block_stop', index });
  const reasons: Record<string, string> = { length: 'max_tokens', content_filter: 'refusal' };

  function closeText(): string[] {
    if (open === undefined) return [];
    const line = stop(open);
    open = undefined;
    return [line];
  }

  return {
    begin: () => [
      event({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'scripted',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 100, output_tokens: 1 },
        },
      }),
    ],
    delta(text) {
      const before = open === undefined ? start({ type: 'text', text: '' }) : '';
      open ??= blocks - 1;
      return before + delta(open, { type: 'text_delta', text });
    },
    call({ id, name, input }) {
      const before = closeText();
      const index = blocks;
      calls += 1;
      return [
        ...before,
        start({ type: 'tool_use', id, name, input: {} }),
        ...halves(input).map((json) =>
          delta(index, { type: 'input_json_delta', partial_json: json }),
        ),
        stop(index),
      ];
    },
    end: (_body, { input, output }, reason) => [
      ...closeText(),
      event({
        type: 'message_delta',
        delta: {
          stop_reason: reasons[reason ?? ''] ?? (calls > 0 ? 'tool_use' : 'end_turn'),
          stop_sequence: null,
        },
        usage: { input_tokens: input, output_tokens: output },
      }),
      event({ type: 'message_stop' }),
    ],
  };
}
