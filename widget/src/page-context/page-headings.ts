/** What the reader's page is about, as questions for those who don't know what to ask. */
import { textOfHeading } from './page-location.ts';

const maxQuestions = 3;
const maxCharacters = 80;

/** The headings of the page's sections. A single word says too little without the page's title. */
export function pageHeadings(): string[] {
  const content = document.querySelector('main, [role=main], article') ?? document.body;
  const titleElement = content.querySelector('h1');
  const title = titleElement && textOfHeading(titleElement);
  const questions = new Set<string>();
  for (const element of content.querySelectorAll('h2')) {
    if (element.closest('nav, aside, footer, header, [hidden]')) continue;
    const words = textOfHeading(element);
    const question =
      words && (/\s|[\u0100-\uffff]/.test(words) ? words : title && `${title}: ${words}`);
    if (question && question.length <= maxCharacters) questions.add(question);
  }
  return [...questions].slice(0, maxQuestions);
}
