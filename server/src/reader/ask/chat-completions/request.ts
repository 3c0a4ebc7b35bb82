import type { MessageV2 } from '@docent/shared/assistant';
import type { ChatCompletionsRequest, ChatMessage } from '@docent/shared/chat-completions';
import { DocentError } from '../../../platform/errors.ts';
import type { Caller } from '../../../platform/auth/keys.ts';
import type { Site, Sites } from '../../../platform/tenants/sites.ts';
import { type Question, toQuestion } from '../question.ts';
import { anonymous } from '../../../platform/redaction/redact.ts';

/** Means "the site of my key", for programs in which the model's name can't be changed per site. */
const onlySite = 'docent';

/** The site that a request names in `model`. */
export function siteOfModel(model: string, sites: Sites, caller: Caller): Site {
  if (model !== onlySite) return sites.forCaller(model, caller);
  const [site, ...others] = sites.ofCaller(caller);
  if (site && others.length === 0) return site;
  throw new DocentError(
    'not_found',
    'Your key is for several sites. Send the domain of one as `model`; `GET /v1/models` lists them.',
    { details: [{ path: 'model', message: 'does not name one site' }] },
  );
}

/** The question of a request in OpenAI's format. `threadId` may also be in a header. */
export function fromChatCompletions(
  body: ChatCompletionsRequest,
  threadIdHeader: string | undefined,
): Question {
  return toQuestion({
    fp: body.user ?? anonymous,
    messages: body.messages.flatMap(toMessage),
    threadId: body.metadata?.threadId ?? threadIdHeader,
    currentPath: body.metadata?.currentPath,
    retrievalPageSize: body.retrievalPageSize,
    filter: body.filter,
    context: undefined,
    trigger: undefined,
    messageId: undefined,
    store: undefined,
  });
}

function toMessage({ role, content }: ChatMessage): MessageV2[] {
  // Tool results are for the model that called the tools. Ours has none.
  if (role === 'tool' || role === 'function') return [];
  const isText = typeof content === 'string';
  return [
    {
      id: undefined,
      role: role === 'developer' ? 'system' : role,
      content: isText ? content : undefined,
      parts: isText ? undefined : content,
    },
  ];
}
