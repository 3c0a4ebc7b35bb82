/** Reads the operations of an OpenAPI document as Markdown. */
import { DocentError } from '../../../platform/errors.ts';
import { joinPath } from '../../generators/paths.ts';
import { type Globs, isWanted } from '../page-source.ts';
import { parseOpenApi } from './document.ts';
import { createOperationAddresses, operationMarkdown, operationTitle } from './operation-page.ts';

interface OpenApiText extends Globs {
  text: string;
  from: string;
  basePath: string;
  baseUrl?: string | undefined;
  layout: string;
}

export interface OperationText {
  path: string;
  url: string;
  name: string;
  title: string;
  /** Without it, `fault` says why. */
  text?: string;
  fault?: unknown;
}

/** Of all operations together. */
const maxLength = 64_000_000;

export function readOperations(input: OpenApiText): OperationText[] {
  const { basePath, baseUrl = '' } = input;
  const document = parseOpenApi(input.text, input.from);
  const addressOf = createOperationAddresses(input.layout);
  let length = 0;
  return document.operations
    .filter(({ route }) => isWanted(route.slice(1), input))
    .map((one) => {
      const { path: below, link } = addressOf(one);
      // An operation with a page of its own has its address; one among others has only its anchor.
      const address = link.startsWith('#') ? joinPath(basePath) + link : joinPath(basePath, link);
      const operation = {
        path: joinPath(basePath, below),
        url: baseUrl + address,
        name: `${one.method.toUpperCase()} ${one.route}`,
        title: operationTitle(one),
      };
      if (length > maxLength) {
        const message = `${input.from} repeats so much text that its operations have more than ${maxLength / 1e6} million characters.`;
        throw new DocentError('too_large', message);
      }
      try {
        const text = operationMarkdown(one, document);
        length += text.length;
        return { ...operation, text };
      } catch (fault) {
        return { ...operation, fault };
      }
    });
}
