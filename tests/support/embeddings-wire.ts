import type { ModelRequest } from './scripted-model.ts';

/**
 * `POST /v1/embeddings` of the scripted model: hashes the words of a text into a vector. The words of one
 * line mean the same, so that tests can ask with other words than the page's.
 */
const synonyms = [
  ['dog', 'hound', 'canine'],
  ['remove', 'uninstall', 'discard'],
  ['car', 'automobile', 'vehicle'],
];

/** The length of the scripted model's vectors. */
export const embeddingDimensions = 64;

export function embeddingsWire(body: ModelRequest['body']): object {
  const input = [body['input']].flat() as string[];
  return {
    object: 'list',
    model: body.model,
    data: input.map((text, index) => ({ object: 'embedding', index, embedding: embed(text) })),
    usage: { prompt_tokens: 100, total_tokens: 100 },
  };
}

export function embed(text: string): number[] {
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
