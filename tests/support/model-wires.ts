/** How the language models that Docent knows speak, as far as the AI SDK's providers listen. */
import type { ModelRequest } from './scripted-model.ts';

interface Wire {
  begin(): string[];
  delta(text: string): string;
  end(body: ModelRequest['body'], tokens: number, reason?: string): string[];
}

/** The wire that belongs to a path; the chat completions of OpenAI unless it is another's. */
export function wireOf(path: string): Wire {
  if (path.endsWith('/responses')) return responsesWire;
  return path.endsWith('/messages') ? anthropicWire : chatWire;
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const usage = (tokens: number) => ({
  prompt_tokens: 100,
  completion_tokens: tokens,
  total_tokens: 100 + tokens,
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
  end: (body: ModelRequest['body'], tokens: number, reason = 'stop') => {
    const options = body['stream_options'] as { include_usage?: boolean } | undefined;
    return [
      chatWire.chunk({}, reason),
      ...(options?.include_usage
        ? [event({ id: 'chatcmpl-scripted', choices: [], usage: usage(tokens) })]
        : []),
      'data: [DONE]\n\n',
    ];
  },
  whole: (texts: string[]) => ({
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'scripted',
    choices: [
      { index: 0, message: { role: 'assistant', content: texts.join('') }, finish_reason: 'stop' },
    ],
    usage: usage(texts.length),
  }),
};

/** `POST /v1/responses`, as far as the AI SDK's `openai` provider reads it. */
const responsesWire = {
  begin: () => [
    event({
      type: 'response.created',
      sequence_number: 0,
      response: { id: 'resp_1', created_at: 1_700_000_000, model: 'scripted' },
    }),
    event({
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] },
    }),
  ],
  delta: (delta: string) =>
    event({
      type: 'response.output_text.delta',
      sequence_number: 2,
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta,
    }),
  end: (_body: ModelRequest['body'], tokens: number) => [
    event({
      type: 'response.output_item.done',
      sequence_number: 3,
      output_index: 0,
      item: { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [] },
    }),
    event({
      type: 'response.completed',
      sequence_number: 4,
      response: { usage: { input_tokens: 100, output_tokens: tokens } },
    }),
  ],
};

/** `POST /v1/messages` of Anthropic. */
const anthropicWire = {
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
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  ],
  delta: (text: string) =>
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  end: (_body: ModelRequest['body'], tokens: number) => [
    event({ type: 'content_block_stop', index: 0 }),
    event({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: tokens },
    }),
    event({ type: 'message_stop' }),
  ],
};

/**
 * `POST /v1/embeddings`: the words of a text, hashed into a vector. Words of one line here mean the
 * same, so that a test can ask with another word than the page has.
 */
const synonyms = [
  ['dog', 'hound', 'canine'],
  ['remove', 'uninstall', 'discard'],
  ['car', 'automobile', 'vehicle'],
];

/** How many numbers a vector of the scripted model has. */
export const embeddingDimensions = 64;

export function embeddingsWire(body: ModelRequest['body']): object {
  const input = [body['input']].flat() as string[];
  return {
    object: 'list',
    model: body.model,
    data: input.map((text, index) => ({ object: 'embedding', index, embedding: embed(text) })),
    usage: usage(1),
  };
}

function embed(text: string): number[] {
  const vector = Array.from({ length: embeddingDimensions }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const same = synonyms.find((group) => group.includes(word))?.[0] ?? word;
    let hash = 2_166_136_261;
    for (const letter of same) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619);
    const place = (hash >>> 0) % embeddingDimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
