/** The widgets in the bench: how each is put on a page, asked, and answered in its own protocol. */
import type { Page } from 'playwright-core';
import { sources } from './answer.ts';
import type { ReplayServer, Wire } from './replay-server.ts';

export interface Widget {
  name: string;
  /** Its packages on npm, with their versions; none for our own, which is built here. */
  packages: string[];
  /** Registers its files and routes, and returns the page's HTML. */
  page: (server: ReplayServer, folderOf: (name: string) => string) => string;
  /** Opens it and writes the question; `send` then sends it. */
  open: (page: Page) => Promise<void>;
  send: (page: Page) => Promise<void>;
  /** The element that holds the messages, in whatever shadow root. */
  log: string;
  /** Copy buttons of code blocks. */
  copy: string;
  /** Ours shows an answer from its beginning; this goes to the end, as others do by themselves. */
  toEnd?: (page: Page) => Promise<void>;
}

const question = 'How do I install the station and read its values?';

const paragraphs = Array.from(
  { length: 12 },
  (_, index) =>
    `<h2>Part ${index + 1}</h2><p>Kestrel measures wind, and this page tells how. It has some text, as pages of documentation have.</p>`,
).join('');

const document = (head: string, body: string) => `<!doctype html><html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Kestrel</title>
<link rel="icon" href="data:,">${head}</head><body><main><h1>Kestrel</h1>${paragraphs}</main>${body}</body></html>`;

const line = (part: unknown) => `data: ${JSON.stringify(part)}\n\n`;

/** The UI message stream of the AI SDK, as our service writes it. */
const uiMessageWire: Wire = {
  type: 'text/event-stream',
  headers: { 'x-vercel-ai-ui-message-stream': 'v1', 'x-thread-id': 'thread-1' },
  begin: [
    { type: 'start', messageId: 'answer-1', messageMetadata: { threadId: 'thread-1' } },
    { type: 'start-step' },
    ...sources.map(({ id, url, title }) => ({ type: 'source-url', sourceId: id, url, title })),
    { type: 'text-start', id: 't' },
  ]
    .map(line)
    .join(''),
  piece: (delta) => line({ type: 'text-delta', id: 't', delta }),
  end: `${[{ type: 'text-end', id: 't' }, { type: 'finish-step' }, { type: 'finish', messageMetadata: { threadId: 'thread-1' } }].map(line).join('')}data: [DONE]\n\n`,
};

/** The same without what only our service adds. */
const plainUiMessageWire: Wire = {
  ...uiMessageWire,
  begin: [
    { type: 'start', messageId: 'answer-1' },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
  ]
    .map(line)
    .join(''),
  end: `${[{ type: 'text-end', id: 't' }, { type: 'finish-step' }, { type: 'finish' }].map(line).join('')}data: [DONE]\n\n`,
};

export const ours = (dist: string): Widget => ({
  name: 'ours',
  packages: [],
  page(server) {
    server.putFolder('/docent/', dist);
    server.routes.push(
      { path: /^\/docent\/discovery\/v2\/assistant\/[^/]+\/message$/, wire: uiMessageWire },
      { path: /^\/docent\/discovery\/v1\/site\//, json: { name: 'Kestrel', starterQuestions: [] } },
    );
    return document(
      '',
      '<script src="/docent/docent.js" data-site="kestrel-docs" data-key="svc_dsc_bench" async></script>',
    );
  },
  async open(page) {
    await page.getByTestId('docent-launcher').click();
    await page.getByTestId('docent-input').fill(question);
  },
  send: (page) => page.getByTestId('docent-input').press('Enter'),
  log: '[data-testid=docent-conversation]',
  copy: '.code [data-testid=docent-copy]',
  toEnd: (page) => page.getByTestId('docent-jump').click(),
});

export const peers: Widget[] = [
  {
    name: 'DocSearch sidepanel',
    packages: ['@docsearch/sidepanel-js@5.1.1', '@docsearch/css@5.2.0'],
    page(server, folderOf) {
      server.putFolder('/docsearch/', folderOf('@docsearch/sidepanel-js'));
      server.putFolder('/docsearch-css/', folderOf('@docsearch/css'));
      server.routes.push(
        { method: 'POST', path: /^\/agent-studio\/1\/.*completions/, wire: plainUiMessageWire },
        { path: /^\/agent-studio\//, json: {} },
      );
      return document(
        '<link rel="stylesheet" href="/docsearch-css/dist/style.css"><link rel="stylesheet" href="/docsearch-css/dist/sidepanel.css">',
        // Its service stands at a host of its own, which is us here.
        `<div id="panel"></div><script>const real = fetch;
          window.fetch = (url, init) => real(String(url).replace(/^https:..[^/]+.algolia.net/, ''), init);</script>
        <script src="/docsearch/dist/umd/index.js"></script>
        <script>window.panel = docsearchSidepanel({ container: '#panel', appId: 'APP', apiKey: 'key',
          indexName: 'docs', agentId: 'agent' });</script>`,
      );
    },
    async open(page) {
      await page.evaluate('panel.open()');
      await page.locator('.DocSearch-Sidepanel-Prompt--textarea').fill(question);
    },
    send: (page) => page.locator('.DocSearch-Sidepanel-Prompt--textarea').press('Enter'),
    log: '.DocSearch-Sidepanel-Content',
    copy: '.DocSearch-CodeSnippet-CopyButton',
  },
  {
    name: 'deep-chat',
    packages: ['deep-chat@2.4.2'],
    page(server, folderOf) {
      server.putFolder('/deep-chat/', folderOf('deep-chat'));
      server.routes.push({
        path: /^\/deep-chat-answer$/,
        wire: { type: 'text/event-stream', piece: (text) => line({ text }) },
      });
      return document(
        '<script type="module" src="/deep-chat/dist/deepChat.bundle.js"></script>',
        `<deep-chat id="chat" style="position: fixed; right: 20px; bottom: 20px; width: 420px; height: 680px"
          connect='{"url": "/deep-chat-answer", "stream": true}'></deep-chat>`,
      );
    },
    async open(page) {
      await page.locator('deep-chat #text-input').click();
      await page.keyboard.type(question);
    },
    send: (page) => page.keyboard.press('Enter'),
    log: '#messages',
    copy: '',
  },
  {
    name: 'Flowise',
    packages: ['flowise-embed@3.1.6'],
    page(server, folderOf) {
      server.putFolder('/flowise/', folderOf('flowise-embed'));
      server.routes.push(
        {
          method: 'POST',
          path: /^\/api\/v1\/prediction\//,
          wire: {
            type: 'text/event-stream',
            begin: `message:\n${line({ event: 'start', data: '' })}`,
            piece: (data) => `message:\n${line({ event: 'token', data })}`,
            end: `message:\n${line({ event: 'metadata', data: { chatId: 'chat-1', chatMessageId: 'm-1' } })}message:\n${line({ event: 'end', data: '[DONE]' })}`,
          },
        },
        { path: /^\/api\/v1\/chatflows-streaming\//, json: { isStreaming: true } },
        { path: /^\/api\/v1\/public-chatbotConfig\//, json: {} },
      );
      return document(
        '',
        `<script type="module">import Chatbot from '/flowise/dist/web.js';
          Chatbot.init({ chatflowid: 'flow', apiHost: location.origin });</script>`,
      );
    },
    async open(page) {
      await page.locator('flowise-chatbot button').first().click();
      await page.locator('flowise-chatbot textarea').fill(question);
    },
    send: (page) => page.locator('flowise-chatbot textarea').press('Enter'),
    log: '.chatbot-chat-view, .chatbot-container',
    copy: '',
  },
  {
    name: 'n8n',
    packages: ['@n8n/chat@1.37.0'],
    page(server, folderOf) {
      server.putFolder('/n8n/', folderOf('@n8n/chat'));
      const ndjson = (part: object) =>
        `${JSON.stringify({ ...part, metadata: { nodeId: 'n1', nodeName: 'Agent', timestamp: 0, runIndex: 0, itemIndex: 0 } })}\n`;
      server.routes.push({
        method: 'POST',
        path: /^\/webhook\/chat$/,
        wire: {
          type: 'application/json',
          begin: ndjson({ type: 'begin' }),
          piece: (content) => ndjson({ type: 'item', content }),
          end: ndjson({ type: 'end' }),
        },
      });
      return document(
        '<link rel="stylesheet" href="/n8n/dist/style.css">',
        `<script type="module">import { createChat } from '/n8n/dist/chat.bundle.es.js';
          createChat({ webhookUrl: location.origin + '/webhook/chat', enableStreaming: true, loadPreviousSession: false });</script>`,
      );
    },
    async open(page) {
      await page.locator('.chat-window-toggle').click();
      await page.locator('.chat-window textarea').fill(question);
    },
    send: (page) => page.locator('.chat-window textarea').press('Enter'),
    log: '.chat-messages-list',
    copy: '',
  },
];
