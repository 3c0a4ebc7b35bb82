/** The texts of the forms, apart from english.ts so that only they load them. */
import { useText } from './text.ts';

export const formStrings = {
  // What a reader thinks of an answer, and what is wrong with a page.
  whyUp: 'What was good about it?',
  whyDown: 'What was wrong with it?',
  accurate: 'Correct',
  clear: 'Clear',
  found_it_fast: 'To the point',
  incorrect: 'Incorrect',
  incomplete: 'Incomplete',
  outdated: 'Outdated',
  irrelevant: 'Not what I asked',
  unclear: 'Hard to follow',
  wrong_source: 'Wrong source',
  other: 'Something else',
  feedbackNote: 'Tell us more (optional)',
  notePlaceholder: 'Don’t include personal details.',
  feedbackSend: 'Send feedback',
  feedbackWaiting: 'Your feedback is saved here and is sent as soon as possible.',
  feedbackRefused: 'Your feedback couldn’t be saved.',
  fixOffer: 'Suggest a fix for the page',
  fixAfterReview: 'The owners of this documentation review each report.',
  fixAtOnce:
    'Your report might lead to a change of the page. People review it before it’s published.',
  fixPage: 'Which page is wrong?',
  fixHere: '{title} (this page)',
  fixNote: 'What is wrong, and what should it say instead?',
  fixShort: 'Describe it in at least {count} characters.',
  fixSend: 'Send report',
  reportReview: 'The owners of this documentation will review your report.',
  reportStarted: 'A change to the page is being prepared. People review it before it’s published.',
  reportUnknown: 'The assistant doesn’t know this page, so you can’t report it here.',
  reportWhat: 'What is wrong with this page?',
  reportLater: 'Your report couldn’t be sent. It’s still here. Try again.',

  // A message to people.
  personText: 'People get your message, your address, and this conversation, and reply by email.',
  personName: 'Your name',
  personEmail: 'Your email address',
  personMessage: 'Your message',
  personConsent: 'I agree that this is sent to the owners of this documentation.',
  personMissing: 'Fill in all fields, and agree, to send your message.',
  personSent: 'Your message was sent. The reply comes by email.',
  personLater: 'Your message couldn’t be sent. It’s still here. Try again.',
};

export const useFormText = () => ({ ...formStrings, ...useText() });
