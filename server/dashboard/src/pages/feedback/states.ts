import type { FeedbackState } from '@docent/shared/feedback';

export const stateNames: Record<FeedbackState, string> = {
  open: 'Open',
  'in-progress': 'In progress',
  done: 'Done',
  dismissed: 'Dismissed',
};

export const feedbackStates = Object.keys(stateNames) as FeedbackState[];
