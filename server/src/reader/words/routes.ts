/** The owner's words, as the dashboard and admin keys see and change them. Not in the service document. */
import {
  ChangePinnedRequest,
  PinnedAnswer,
  PinnedAnswerRequest,
  TryWordsReply,
  TryWordsRequest,
  WordsReply,
} from '@docent/shared/words';
import { editorWrites, endpointsOf, json, viewerReads } from '../../platform/http/endpoint.ts';
import type { Words } from './words.ts';

const endpoint = endpointsOf<{ words: Words }>('Operations');

export const wordEndpoints = [
  endpoint('GET /v1/sites/{domain}/words', {
    id: 'listOwnersWords',
    summary: 'Instructions and skills of the repository, and pinned answers with their tests',
    who: viewerReads,
    reply: WordsReply,
    run: ({ site }, { words }) => words.list(site.domain),
  }),
  endpoint('POST /v1/sites/{domain}/words/try', {
    id: 'tryOwnersWords',
    summary: 'Which pinned answer and which skills a question gets; no model is asked',
    who: viewerReads,
    body: TryWordsRequest,
    reply: TryWordsReply,
    run: ({ site, body }, { words }) => words.try(site.domain, body.question),
  }),
  endpoint('POST /v1/sites/{domain}/pinned-answers', {
    id: 'pinAnswer',
    summary: 'Pin an answer: readers who ask one of its questions get it word for word',
    who: editorWrites,
    body: PinnedAnswerRequest,
    reply: json(PinnedAnswer, 'The answer.', { status: 201 }),
    errors: ['conflict'],
    run: ({ site, body, caller }, { words }) => words.pin(site, body, caller.id),
  }),
  endpoint('PATCH /v1/sites/{domain}/pinned-answers/{id}', {
    id: 'changePinnedAnswer',
    summary: 'Replace a pinned answer',
    who: editorWrites,
    body: ChangePinnedRequest,
    reply: PinnedAnswer,
    errors: ['not_found', 'conflict'],
    run: ({ site, params, body: { version, ...pinned }, caller }, { words }) =>
      words.pin(site, pinned, caller.id, { id: params.id, version }),
  }),
  endpoint('DELETE /v1/sites/{domain}/pinned-answers/{id}', {
    id: 'unpinAnswer',
    summary: 'Delete a pinned answer',
    who: editorWrites,
    errors: ['not_found', 'conflict'],
    run: ({ site, params, caller }, { words }) => words.unpin(site, params.id, caller.id),
  }),
];
