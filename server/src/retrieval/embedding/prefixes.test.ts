import { expect, test } from 'vitest';
import { prefixesOf } from './prefixes.ts';

const instruct =
  'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ';
const represent = 'Represent this sentence for searching relevant passages: ';

// Names as Hugging Face, Ollama, and LM Studio write them.
test.each([
  ['intfloat/multilingual-e5-large', 'query: ', 'passage: '],
  ['intfloat/multilingual-e5-large-instruct', instruct, ''],
  ['intfloat/e5-mistral-7b-instruct', instruct, ''],
  ['nomic-embed-text:v1.5', 'search_query: ', 'search_document: '],
  ['text-embedding-nomic-embed-text-v1.5', 'search_query: ', 'search_document: '],
  ['BAAI/bge-large-en-v1.5', represent, ''],
  ['bge-m3', '', ''],
  ['mxbai-embed-large', represent, ''],
  ['Qwen/Qwen3-Embedding-0.6B', instruct, ''],
  ['snowflake-arctic-embed:33m', represent, ''],
  ['snowflake-arctic-embed2', 'query: ', ''],
  ['Snowflake/snowflake-arctic-embed-l-v2.0', 'query: ', ''],
  ['thenlper/gte-large', '', ''],
  ['Alibaba-NLP/gte-Qwen2-7B-instruct', instruct, ''],
  ['text-embedding-3-small', '', ''],
  ['all-minilm', '', ''],
])('%s', (model, query, passage) => {
  expect(prefixesOf(model)).toEqual({ query, passage });
});

test('settings win, and an empty one means none', () => {
  const own = { queryPrefix: '', passagePrefix: 'doc: ' };
  expect(prefixesOf('e5-base', own)).toEqual({ query: '', passage: 'doc: ' });
});
