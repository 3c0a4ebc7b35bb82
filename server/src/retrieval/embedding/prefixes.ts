/**
 * What models want in front of a question and of a passage. No server adds it, and without it, they find
 * far less. The texts are from the models' cards.
 */
export interface Prefixes {
  query: string;
  passage: string;
}

const task = 'Given a web search query, retrieve relevant passages that answer the query';
const instruct = { query: `Instruct: ${task}\nQuery: `, passage: '' };
const represent = {
  query: 'Represent this sentence for searching relevant passages: ',
  passage: '',
};
const none = { query: '', passage: '' };

/** The first row whose words are all in the model's name wins. */
const table: readonly [string[], Prefixes][] = [
  [['e5-mistral'], instruct],
  [['e5-', 'instruct'], instruct],
  [['e5-'], { query: 'query: ', passage: 'passage: ' }],
  [
    ['nomic-embed-code'],
    { query: 'Represent this query for searching relevant code: ', passage: '' },
  ],
  [['nomic-embed'], { query: 'search_query: ', passage: 'search_document: ' }],
  [['qwen3-embedding'], instruct],
  [['gte-qwen'], instruct],
  [['bge-m3'], none],
  [['bge-', '-zh'], { query: '为这个句子生成表示以用于检索相关文章：', passage: '' }],
  [['bge-'], represent],
  [['mxbai-embed'], represent],
  [['arctic-embed', '-v2'], { query: 'query: ', passage: '' }],
  [['arctic-embed2'], { query: 'query: ', passage: '' }],
  [['arctic-embed'], represent],
  [['embeddinggemma'], { query: 'task: search result | query: ', passage: 'title: none | text: ' }],
];

export function prefixesOf(
  model: string,
  own: { queryPrefix?: string | undefined; passagePrefix?: string | undefined } = {},
): Prefixes {
  const name = model.toLowerCase();
  const usual = table.find(([words]) => words.every((word) => name.includes(word)))?.[1] ?? none;
  return {
    query: own.queryPrefix ?? usual.query,
    passage: own.passagePrefix ?? usual.passage,
  };
}
