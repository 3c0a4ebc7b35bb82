import { FeedbackRequest, FeedbackResponse } from '@docent/shared/feedback';
import { PageRequest, PageResponse, SearchHit, SearchRequest } from '@docent/shared/search';
import { AnswerQuestion } from '@docent/shared/stream-schema';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  type CallToolResult,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  type ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { toDocentError } from '../../../platform/http/error-handler.ts';
import type { Logger } from '../../../platform/log.ts';
import { type FeedbackDeps, giveFeedback } from '../../analytics/feedback.ts';
import type { PaidSearch } from '../../search/paid-search.ts';
import { choicesFor, toQuestion } from '../ask-back.ts';
import { readPage, searchDocs } from '../../search/search-docs.ts';
import type { Site } from '../../../platform/tenants/sites.ts';
import { DocentError } from '../../../platform/errors.ts';
import { type Caller } from '../../../platform/auth/caller.ts';

export interface ToolDeps extends FeedbackDeps {
  paidSearch: PaidSearch;
  log: Logger;
}

/** Who calls the tools. */
export interface ToolCaller {
  caller: Caller;
  /** For the log. */
  requestId: string;
}

/** Reading the documentation changes nothing, and the same call gives the same result. */
const reads: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const SearchInput = z.object({
  query: SearchRequest.shape.query.describe(
    'What to look for: a whole question or a few words. Names of settings, commands and errors may stand as they are written.',
  ),
  pageSize: SearchRequest.shape.pageSize.describe('How many pages at most, 1 to 50; 10 if absent.'),
  filter: SearchRequest.shape.filter.describe(
    'Narrows the search to pages of one version, language or tag, or adds pages that only some groups may read, if the key was granted them.',
  ),
});

const SearchOutput = z.object({
  results: z.array(SearchHit),
  question: AnswerQuestion.optional().describe(
    'Set if the versions of the documentation say different things: what to ask the user, unless you know it.',
  ),
});

const PageInput = z.object({
  path: PageRequest.shape.path.describe(
    'Path of the page as a search result has it, such as /guides/install, or its full address.',
  ),
  filter: PageRequest.shape.filter.describe('The filter that the page was found with, if any.'),
});

const FeedbackInput = z.object({
  path: PageInput.shape.path,
  rating: FeedbackRequest.shape.rating.describe('Whether the page helped: up or down.'),
  reasons: FeedbackRequest.shape.reasons.describe('Why, in words from the list.'),
  note: FeedbackRequest.shape.note.describe(
    'What is wrong or missing, in a sentence or two; at most 1,000 characters.',
  ),
  filter: PageInput.shape.filter,
});

/** The tools of one site. They are made for each request and keep no state. */
export function createTools(
  site: Site,
  { caller, requestId }: ToolCaller,
  deps: ToolDeps,
): McpServer {
  const { id: callerId, organization } = caller;
  const payer = { callerId, organization, domain: site.domain };
  const { retriever, paidSearch, log } = deps;
  const server = new McpServer(
    { name: `docent-${site.domain}`, title: `${site.name} documentation`, version: '1.0.0' },
    {
      instructions: `Answers about ${site.name} from its own documentation. Search first, read a page where its sections are not enough, and give the url of what you used.`,
    },
  );

  server.registerTool(
    'search',
    {
      title: `Search the ${site.name} documentation`,
      description: `Finds pages of the ${site.name} documentation and gives their matching sections as Markdown, each with its address. Use it for any question about ${site.name}, before answering from memory. Scores below 0.4 mean that the documentation hardly speaks of it.`,
      inputSchema: SearchInput,
      outputSchema: SearchOutput,
      annotations: reads,
    },
    (input, { signal }) =>
      attempt(async () => {
        const search = { ...input, scoreThreshold: undefined };
        let choices: string[] = [];
        const results = await searchDocs(search, site, caller, async (query) => {
          const found = await paidSearch.search(payer, query, signal);
          choices = await choicesFor(found, query, site, retriever);
          return found;
        });
        const texts = results.map(describe);
        if (choices.length === 0)
          return toResult(texts.join('\n\n---\n\n') || nothingFound, { results });
        const question = toQuestion(choices);
        return toResult([whichVersion(choices), ...texts].join('\n\n---\n\n'), {
          results,
          question,
        });
      }),
  );

  server.registerTool(
    'read_page',
    {
      title: `Read a page of the ${site.name} documentation`,
      description: `Gives one page of the ${site.name} documentation whole, as Markdown. Take the path from a search result.`,
      inputSchema: PageInput,
      outputSchema: PageResponse,
      annotations: reads,
    },
    (input) =>
      attempt(async () => {
        const page = await readPage(input, site, caller, retriever);
        return toResult(`${page.metadata.url}\n\n${page.content}`, page);
      }),
  );

  server.registerTool(
    'submit_feedback',
    {
      title: `Tell the ${site.name} documentation team`,
      description: `Tells the people behind the ${site.name} documentation whether a page helped, or what is wrong or missing on it. Use it when a page was wrong, outdated or incomplete for what the user needed, and say what would have helped. Nothing of the user's own may stand in the note: no names, code or secrets.`,
      inputSchema: FeedbackInput,
      outputSchema: FeedbackResponse,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    (input) =>
      attempt(async () => {
        const request = {
          ...input,
          fp: 'anonymous',
          messageId: undefined,
          threadId: undefined,
        };
        const given = await giveFeedback(request, site.domain, caller, deps);
        return toResult('Thank you, the feedback was kept.', given);
      }),
  );

  return server;

  /** Turns an error into a tool result, which the model can act on. */
  async function attempt(call: () => Promise<CallToolResult>): Promise<CallToolResult> {
    try {
      return await call();
    } catch (error) {
      const known = toDocentError(error);
      if (known.code === 'internal') log.error({ requestId, err: known.cause }, 'tool failed');
      return { isError: true, content: [{ type: 'text', text: known.message }] };
    }
  }
}

const whichVersion = (choices: readonly string[]) =>
  `The versions of the documentation say different things: ${choices.join(', ')}. Ask the user which one they use, unless you know it, and search again with it as filter.version.`;

const nothingFound = 'Nothing was found. Try other words, or fewer.';

function describe({ content, path, metadata }: SearchHit): string {
  const heading = metadata.heading === metadata.title ? '' : ` › ${metadata.heading}`;
  return `# ${metadata.title}${heading}\nurl: ${metadata.url}\npath: ${path}\nscore: ${metadata.score}\n\n${content}`;
}

function toResult(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent };
}

/**
 * Reads the message of a request. A batch, which an old version of the protocol allowed, is refused,
 * because it would count as one request.
 */
export function readMessage(body: unknown, protocolVersion: string | undefined): JSONRPCMessage {
  if (protocolVersion !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) {
    throw new DocentError(
      'bad_request',
      `This server doesn't support this version of the Model Context Protocol. It supports ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
    );
  }
  const message = JSONRPCMessageSchema.safeParse(body);
  if (!message.success) {
    throw new DocentError('bad_request', 'Send one JSON-RPC 2.0 message as the body.');
  }
  return message.data;
}

/**
 * Answers one message with a new server; returns `undefined` if there is nothing to answer. The SDK's own
 * HTTP transport isn't used, because its errors have another format than ours.
 */
export async function handleMessage(
  message: JSONRPCMessage,
  site: Site,
  caller: ToolCaller,
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<JSONRPCMessage | undefined> {
  if (!isJSONRPCRequest(message)) return undefined;
  const server = createTools(site, caller, deps);
  const [client, served] = InMemoryTransport.createLinkedPair();
  try {
    const answer = new Promise<JSONRPCMessage>((resolve, reject) => {
      client.onmessage = (reply) => {
        if ('id' in reply && reply.id === message.id) resolve(reply);
      };
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    await server.connect(served);
    signal.throwIfAborted();
    await client.send(message);
    return await answer;
  } finally {
    // This also ends the search of a client that has left.
    await server.close();
  }
}
