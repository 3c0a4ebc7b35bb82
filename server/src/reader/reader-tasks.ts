/** What the reader's half does in a worker: plain data in, plain data out. */
import { groupQuestions, type GroupedQuestion } from './analytics/group-questions.ts';

export const readerTasks = {
  groupQuestions: (questions: readonly GroupedQuestion[]) => groupQuestions(questions),
};
