/**
 * Every text a reader sees, in English, the language that every other one falls back to. In groups,
 * so that the loader carries only its own few. `{name}` marks a place to fill; see `fill` in text.ts.
 */
export const launcherStrings = {
  button: 'Ask',
  buttonName: 'Ask the docs',
  loading: 'Opening…',
  failed: 'Could not load. Try again',
};

/** At selected text and blocks of code on the page itself. */
export const offerStrings = {
  ask: 'Ask about this',
  askCode: 'Ask',
  askCodeName: 'Ask about this code',
  /** For people who cannot see the button: how to reach it. */
  reach: 'Press Tab to ask about the selected text.',
  reachWithKeys: 'Press Tab or {keys} to ask about the selected text.',
};

export const panelStrings = {
  title: 'Ask the docs',
  close: 'Close',
  newConversation: 'New conversation',
  emptyTitle: 'How can I help?',
  emptyTitleFor: 'Ask about {name}',
  emptyText: 'Answers come from this documentation, with links to the sections they use.',
  starters: 'Try asking',
  placeholder: 'Ask a question…',
  placeholderAgain: 'Ask a follow-up…',
  inputName: 'Your question',
  send: 'Send',
  stop: 'Stop answering',
  hint: 'Check the linked sections: answers can be wrong.',
  conversation: 'Conversation',
  you: 'You asked',
  assistant: 'Answer',
  thinking: 'Reading the documentation…',
  reconnecting: 'Reconnecting…',
  waiting: 'You are offline. The answer goes on when you are back.',
  sources: 'Sources',
  source: 'Source {number}: {title}',
  moreSources: 'Also read: {count} more',
  copied: 'Copied',
  copyAnswer: 'Copy answer',
  copyCode: 'Copy code',
  retry: 'Try again',
  retryAnswer: 'Answer again',
  stopped: 'You stopped this answer.',
  interrupted: 'This answer was interrupted.',
  emptyAnswer: 'No answer came back.',
  jump: 'Jump to latest',
  answerStarted: 'Answer started',
  answerDone: 'Answer: {text}',
  table: 'Table',
  picture: 'Picture',
};

/** Pieces of the page that go along with a question. */
export const contextStrings = {
  list: 'Your question is about',
  remove: 'Remove “{text}”',
  kindCode: 'Code',
  kindText: 'Text',
  /** Where a piece is from: the heading above it. */
  from: 'from “{heading}”',
  cut: 'Of a long piece only the first {count} characters go along.',
  full: 'No more than {count} pieces go along with one question. Remove one to add another.',
  explainCode: 'Explain this code',
  explainText: 'Explain this passage',
};

/** The menu in the panel's header. */
export const menuStrings = {
  name: 'More',
  widen: 'Larger panel',
  shrink: 'Smaller panel',
};

/** What went wrong, in words for a reader. */
export const problemStrings = {
  setupTitle: 'The assistant is not set up right on this site',
  setupText: 'This is not something you did. The people who run this site can fix it.',
  notFoundTitle: 'There is no assistant for this site',
  notFoundText: 'The people who run this site can fix it. Your question was not lost.',
  limitTitle: 'Too many questions just now',
  limitText: 'The assistant has reached its limit. Please try again later.',
  limitUntil: 'The assistant has reached its limit. You can ask again in {time}.',
  limitOver: 'You can ask again now.',
  tooLargeTitle: 'That is too much at once',
  tooLargeText: 'Remove some of the attached text, or start a new conversation.',
  badTitle: 'That question could not be read',
  badText: 'Try to ask it in other words, or start a new conversation.',
  serverTitle: 'The assistant has a problem',
  serverText: 'It is on our side, not yours. Trying again often helps.',
  upstreamTitle: 'The answer did not come through',
  upstreamText: 'The language model did not respond properly. Try again in a moment.',
  offlineTitle: 'You are offline',
  offlineText: 'Your question is kept and will be sent when you are back online.',
  timeoutTitle: 'This takes too long',
  timeoutText: 'No answer arrived in time. Please try again.',
  blockedTitle: 'The assistant cannot be reached',
  blockedText:
    'The connection failed, or something in your browser blocks it, such as an ad blocker.',
  cutTitle: 'The connection was lost',
  cutText: 'What had arrived is kept above.',
  goneTitle: 'The rest of this answer is lost',
  goneText: 'You were away too long for it to be kept. You can have it answered again.',
  seconds: '{count} s',
  minutes: '{count} min',
  hours: '{count} h',
};
