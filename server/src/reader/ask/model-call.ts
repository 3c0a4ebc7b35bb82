import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { isExtractive, type Model } from '../../platform/models/model.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { estimatePrompt, estimateTokens } from '../../platform/budgets/estimate.ts';
import type { Usage } from '../../platform/budgets/price.ts';
import { answerKinds, type AnswerMark } from '../output-filter/answer-mark.ts';
import { type NumberedPassage, toPrompt } from './prompt.ts';
import type { Question } from './question.ts';
import type { PastTurn } from '../conversations/past-turns.ts';
import type { EndedTurn } from '../conversations/threads.ts';

/** What a model is asked with. */
export interface ModelQuestion {
  question: Question;
  site: Site;
  model: Model;
  history: PastTurn[];
  /** We wrote the answers in it. */
  isHistoryOurs: boolean;
}

/** What the provider says was used, or what the text comes to where it says nothing. */
export function usageOf(result: EndedTurn, written: string, prompt: LanguageModelV4Prompt): Usage {
  return {
    inputTokens: result.inputTokens ?? estimatePrompt(prompt),
    outputTokens: result.outputTokens ?? estimateTokens(written),
  };
}

/** The call of a model; `mark` is the line that it says its status with. */
export function toCall(
  { question, site, model, history, isHistoryOurs }: ModelQuestion,
  passages: NumberedPassage[],
  isFound: boolean,
  mark: AnswerMark | undefined,
): LanguageModelV4CallOptions {
  const { currentPath, context } = question;
  const about = { siteName: site.name, question: question.text, currentPath, context };
  const statusLines = mark ? answerKinds.map((kind) => mark.line(kind)) : [];
  const prompt = toPrompt({ ...about, history, isHistoryOurs, passages, statusLines });
  if (!isExtractive(model)) return { prompt };
  // The built-in model reads the passages as they are; no provider gets these options.
  const quotable = isFound ? passages.map((passage) => ({ ...passage })) : [];
  return {
    prompt,
    providerOptions: { docent: { question: question.text, passages: quotable } },
  };
}
