/** The texts beside a support form of the page, apart from english.ts so that only they load them. */
export const deflectStrings = {
  offeredText: 'The documentation may have the answer.',
  askedText: 'The answer is in the assistant.',
  answeredText: 'Did that answer your question?',
  unansweredText: 'The documentation doesn’t answer this. Please send your message.',
  solvedText: 'Good. You don’t need to send your message.',
  deflectAsk: 'Show the answer',
  deflectYes: 'Yes',
  deflectNo: 'No',
};
