import { expect, test } from 'vitest';
import { readReference } from './page-reference.ts';

/** In every language of the widget: the whole page, a part of it, and nothing but a pointer. */
const about = {
  en: ['Summarize this page', 'What does the example above do?', 'What does this mean?'],
  de: ['Fasse diese Seite zusammen', 'Was macht das Beispiel oben?', 'Was bedeutet das hier?'],
  fr: ['Résume cette page', 'Que fait l’exemple ci-dessus ?', 'Que veut dire ceci ?'],
  es: ['Resume esta página', '¿Qué hace el ejemplo de arriba?', '¿Qué significa esto?'],
  it: ['Riassumi questa pagina', "Cosa fa l'esempio sopra?", 'Cosa significa questo?'],
  pt: ['Resuma esta página', 'O que faz o exemplo acima?', 'O que significa isto?'],
  nl: ['Vat deze pagina samen', 'Wat doet het voorbeeld hierboven?', 'Wat betekent dit?'],
  pl: ['Podsumuj tę stronę', 'Co robi przykład powyżej?', 'Co to znaczy?'],
  ru: ['Кратко перескажи эту страницу', 'Что делает пример выше?', 'Что это значит?'],
  uk: ['Коротко перекажи цю сторінку', 'Що робить приклад вище?', 'Що це означає?'],
  tr: ['Bu sayfayı özetle', 'Yukarıdaki örnek ne yapıyor?', 'Bu ne anlama geliyor?'],
  ar: ['لخص هذه الصفحة', 'ماذا يفعل المثال أعلاه؟', 'ماذا يعني هذا؟'],
  ja: ['このページを要約してください', '上の例は何をしますか？', 'これはどういう意味ですか？'],
  ko: ['이 페이지를 요약해 주세요', '위의 예제는 무엇을 하나요?', '이것은 무슨 뜻인가요?'],
  zh: ['总结一下这个页面', '上面的示例是做什么的？', '这是什么意思？'],
  'zh-tw': ['總結一下這個頁面', '上面的範例是做什麼的？', '這是什麼意思？'],
};

test.each(Object.entries(about))('in %s', (_language, [page = '', part = '', pointer = '']) => {
  expect(readReference(page)).toMatchObject({ isNamed: true, subjects: 0 });
  expect(readReference(part)).toMatchObject({ isNamed: true, subjects: 0 });
  expect(readReference(pointer)).toMatchObject({ subjects: 0 });
});

test.each([
  ['On this page, how do I change the timeout?', { isNamed: true }],
  ['Why is this async?', { isPointing: true, subjects: 1 }],
  ['Explain', { subjects: 0 }],
  ['Explain this section of the docs', { isNamed: true }],
  ['What is the page about?', { isNamed: true, subjects: 0 }],
  ['Which of the things described here need server support?', { isPointing: true }],
  ['この書き方はいつ使いますか', { isPointing: true }],
  ['このページのタイムアウトの設定は？', { isNamed: true }],
])('%s', (text, reference) => {
  expect(readReference(text)).toMatchObject(reference);
});

test.each([
  'How do I install the widget?',
  'How do I run ten workers?',
  'How do I add an image?',
  'How do I contribute to this open source project?',
  'Wer schreibt diese Dokumentation?',
  'Comment installer cette bibliothèque ?',
  'Для чего нужна эта документация?',
  'このプロジェクトに貢献するには？',
  '如何安装这个库？',
  'How do I hide the page from the sidebar?',
  'Est-ce que FastAPI supporte GraphQL ?',
  '¿Dónde está la configuración del proxy?',
  'Wie funktioniert das Routing?',
  'Which port does the server listen on?',
  'I have a cluster with GPUs and want to cache embeddings; does this need more memory?',
  'インストール方法を教えてください',
  '如何安装插件？',
  '설치 방법을 알려 주세요',
  'Как установить виджет?',
])('%s', (text) => {
  expect(readReference(text)).toBeUndefined();
});

test('a question as long as a book takes no longer than its beginning', () => {
  expect(readReference('インストール '.repeat(200_000))).toBeUndefined();
  expect(readReference('\ud800'.repeat(3_000))).toBeUndefined();
});
