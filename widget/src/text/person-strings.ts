/** The texts of the form that reaches people, apart from english.ts so that only the form loads them. */
export const personStrings = {
  personText: 'People get your message, your address, and this conversation, and reply by email.',
  personName: 'Your name',
  personEmail: 'Your email address',
  personMessage: 'Your message',
  personConsent: 'I agree that this is sent to the owners of this documentation.',
  personMissing: 'Fill in all fields, and agree, to send your message.',
  personSent: 'Your message was sent. The reply comes by email.',
  personLater: 'Your message couldn’t be sent. It’s still here. Try again.',
};
