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
  suggestions: 'Ask next',
  jump: 'Jump to latest',
  answerStarted: 'Answer started',
  answerDone: 'Answer: {text}',
  spokenCode: 'Code example',
  spokenMore: 'The rest is in the conversation.',
  table: 'Table',
  picture: 'Picture',
  loadPicture: 'Load picture from {host}: {name}',
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

/** What a reader thinks of an answer, and what is wrong with a page. */
export const feedbackStrings = {
  up: 'Helpful',
  down: 'Not helpful',
  thanks: 'Thank you for your feedback.',
  takenBack: 'Your rating was taken back.',
  takeBack: 'Undo',
  whyUp: 'What was good about it?',
  whyDown: 'What was wrong with it?',
  accurate: 'Correct',
  clear: 'Clear',
  found_it_fast: 'Quick to the point',
  incorrect: 'Incorrect',
  incomplete: 'Incomplete',
  outdated: 'Outdated',
  irrelevant: 'Not what I asked',
  unclear: 'Hard to follow',
  wrong_source: 'Wrong source',
  other: 'Something else',
  note: 'Tell us more (optional)',
  notePlaceholder: 'No personal details, please.',
  send: 'Send feedback',
  waiting: 'It is kept here and will be sent as soon as that is possible.',
  refused: 'Your feedback could not be kept.',
  fixOffer: 'Suggest a fix of the page',
  fixAfterReview: 'The people behind this documentation look at each report.',
  fixAtOnce:
    'A change to the page may be prepared from your report. People look at it before it is published.',
  fixPage: 'Which page is wrong?',
  fixHere: '{title} (this page)',
  fixNote: 'What is wrong, and what would be right?',
  fixShort: 'Please say it in a sentence: at least {count} characters.',
  fixSend: 'Send report',
  reportReview: 'The people behind this documentation will look at your report.',
  reportStarted:
    'A change to the page is being prepared. People look at it before it is published.',
  reportUnknown: 'This page is not one that the assistant knows, so it cannot be reported here.',
  reportTitle: 'Report a problem with this page',
  reportWhat: 'What is wrong with this page?',
  reportLater: 'Your report could not be sent just now. It is still here: please try again.',
  reportBack: 'Back to the conversation',
};

/** What can be done with a question that was asked. */
export const questionStrings = {
  edit: 'Edit question',
  copyLink: 'Copy link to this question',
  field: 'The question in other words',
  note: 'The answer and all that follows will be replaced.',
  send: 'Ask again',
};

/** The list of conversations. */
export const threadsStrings = {
  title: 'Your conversations',
  back: 'Back to the conversation',
  search: 'Search your conversations',
  notFound: 'No conversation has “{query}” in it.',
  emptyTitle: 'No conversations yet',
  emptyText: 'What you ask is kept in this browser, so that you can come back to it.',
  answering: 'Answering…',
  rename: 'Rename “{title}”',
  name: 'Name of the conversation',
  delete: 'Delete “{title}”',
  deleted: 'Deleted: “{title}”',
  deletedAll: 'All conversations are deleted.',
  undo: 'Undo',
  deleteAll: 'Delete all conversations',
  deleteAllSure: 'Delete all conversations in this list?',
  deleteAllYes: 'Delete all',
  cancel: 'Cancel',
  copy: 'Copy as Markdown',
  download: 'Download as Markdown',
  copied: 'The conversation is copied.',
  notCopied: 'The browser did not allow to copy.',
  notSent:
    'Deleted in this browser, but the service could not be told yet. It will be told when it can be reached.',
  notLoaded: 'This part could not be loaded. Try again, or reload the page.',
};

/** Asked before anything is sent, and before the assistant goes from a device. */
export const privacyStrings = {
  consentTitle: 'Before you ask',
  consentText:
    'Your questions go to the service behind this assistant, and your conversation is kept in this browser. Nothing is sent or stored until you agree.',
  consentLink: 'How your data is used',
  consentAccept: 'Agree and continue',
  hideMenu: 'Hide on this device',
  hideTitle: 'Hide the assistant on this device?',
  hideText: 'Its button no longer appears on this site in this browser.',
  hideShortcut: 'Press {shortcut} to bring it back.',
  hideConfirm: 'Hide',
  hideCancel: 'Cancel',
};

/** What went wrong, in words for a reader. */
export const problemStrings = {
  setupTitle: 'The assistant is not set up right on this site',
  setupText: 'This is not something you did. The people who run this site can fix it.',
  forbiddenTitle: 'The assistant may not answer on this page',
  forbiddenText:
    'This is not something you did. The people who run this site can allow it for this page.',
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
  cutText: 'What had arrived is kept. Try again to read the rest.',
  goneTitle: 'The rest of this answer is lost',
  goneText: 'You were away too long for it to be kept. You can have it answered again.',
  again: 'Answer again',
  editQuestion: 'Change the question',
  hits: 'Pages that may help',
  seconds: '{count} s',
  minutes: '{count} min',
  hours: '{count} h',
};
