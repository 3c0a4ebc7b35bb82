import type { Message } from './message.ts';
import type { Part } from './part-reader.ts';

type AnswerPart = Exclude<Part, { type: 'error' }>;

export const emptyAnswer = (id: string): Message => ({
  id,
  role: 'assistant',
  text: '',
  sources: [],
  context: [],
});

export function applyPart(answer: Message, part: AnswerPart): Message {
  switch (part.type) {
    case 'start':
      return emptyAnswer(part.messageId ?? answer.id);
    case 'text-start':
      return answer.text ? { ...answer, text: `${answer.text}\n\n` } : answer;
    case 'text-delta':
      return { ...answer, text: answer.text + part.delta };
    case 'source-url':
      return { ...answer, sources: [...answer.sources, part.source] };
    case 'data-answer': {
      const { type: _, ended, ...rest } = part;
      return { ...answer, ...rest, ...(ended && { ended }) };
    }
    case 'data-progress':
      return { ...answer, isThinking: true };
    case 'data-question':
      return part.choices.length ? { ...answer, choices: part.choices } : answer;
    case 'data-suggestions':
      return part.questions.length ? { ...answer, suggestions: part.questions } : answer;
    case 'finish':
      return part.ended ? { ...answer, ended: answer.ended ?? part.ended } : answer;
  }
}
