import { type ErrorCode, errorTable } from '@docent/shared/errors';
import { ErrorReply, OpenAiErrorReply } from '@docent/shared/replies';
import { z } from 'zod';
import { type Endpoint, permissionOf, type Reply } from '../endpoint.ts';

type Json = Record<string, unknown>;

/** The description of the API (OpenAPI 3.1), made from the schemas that requests are checked with. */
export function describeApi(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {};
  // By path, so that moving a declaration changes nothing.
  const sorted = endpoints.toSorted((a, b) =>
    `${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1,
  );
  for (const endpoint of sorted) {
    (paths[endpoint.path] ??= {})[endpoint.method] = toOperation(endpoint);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Docent',
      version: '1.0.0',
      description:
        'Answers readers of a documentation site, with links to the sections it took them from, and turns instructions into pull requests against it.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].toSorted().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        assistantKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An assistant key (`svc_dsc_…`): public, may stand in a page.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-docent',
          description:
            'A person who is signed in to the dashboard. `x-role` is the least role that this takes. Changes need JSON, and come from the dashboard’s own origin.',
        },
        adminKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An admin key (`svc_…`): a secret, for your servers only.',
        },
      },
      schemas: {
        Error: toSchema(ErrorReply, 'output'),
        OpenAiError: toSchema(OpenAiErrorReply, 'output'),
      },
      responses: Object.fromEntries(
        statuses().flatMap(([name, codes]) => [
          [name, toError(codes, 'Error')],
          [`OpenAi${name}`, toError(codes, 'OpenAiError')],
        ]),
      ),
    },
  };
}

function toOperation(endpoint: Endpoint): Json {
  const { id, tag, summary, description, isDeprecated, body, replies } = endpoint;
  const permission = permissionOf(endpoint);
  const parameters = [...pathParameters(endpoint), ...queryParameters(endpoint)];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(isDeprecated === true && { deprecated: true }),
    security: securityOf(endpoint),
    ...(permission && { 'x-role': permission.role }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: toSchema(body, 'input') } },
      },
    }),
    responses: {
      ...Object.fromEntries(replies.map((reply) => [reply.status, toReply(reply, isDeprecated)])),
      ...Object.fromEntries(
        [...new Set(errorsOf(endpoint).map((code) => errorTable[code].status))]
          .toSorted((a, b) => a - b)
          .map((status) => [
            status,
            {
              $ref: `#/components/responses/${endpoint.isOpenAi ? 'OpenAi' : ''}Error${status}`,
            },
          ]),
      ),
    },
  };
}

function errorsOf({ who, path, query, body, errors = [] }: Endpoint): ErrorCode[] {
  const isLimited = /^\/(v\d|discovery|mcp)\//.test(path);
  return [
    ...errors,
    ...(who !== 'public' ? (['unauthorized', 'forbidden'] as const) : []),
    ...(path.includes('{') ? (['not_found'] as const) : []),
    ...(query || body ? (['bad_request'] as const) : []),
    ...(body ? (['too_large', 'unsupported_media_type'] as const) : []),
    ...(isLimited ? (['rate_limited'] as const) : []),
    'internal',
  ];
}

function securityOf(endpoint: Endpoint): Json[] {
  const permission = permissionOf(endpoint);
  if (!permission) return endpoint.who === 'public' ? [] : [{ assistantKey: [] }];
  return [...(permission.scope ? [{ adminKey: [] }] : []), { session: [] }];
}

const described: Record<string, string> = {
  domain: 'The site’s identifier, as the configuration has it.',
  projectId: 'The project’s identifier, as the configuration has it.',
  id: 'The identifier, as lists have it.',
  deliveryId: 'The delivery’s identifier.',
};

function pathParameters({ path, parameters = {} }: Endpoint): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: parameters[name] ?? described[name],
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Endpoint): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toSchema(query, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

/** Of every response of a deprecated endpoint. `Link` may have further links. */
const deprecationHeaders = {
  Deprecation: 'Since when the endpoint is deprecated, as in RFC 9745.',
  Sunset: 'The earliest day on which it may go, as in RFC 8594.',
  Link: '`<…>; rel="successor-version"` is the endpoint to use instead, and `<…>; rel="next"` the next page of a list.',
};

function toReply({ description, content, headers: own }: Reply, isDeprecated = false): Json {
  const headers = isDeprecated ? { ...own, ...deprecationHeaders } : own;
  return {
    description,
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, text]) => [
          name,
          { description: text, schema: { type: 'string' } },
        ]),
      ),
    }),
    ...(content && {
      content: Object.fromEntries(
        Object.entries(content).map(([type, schema]) => [
          type,
          {
            schema:
              schema instanceof z.ZodType
                ? toSchema(schema, 'output')
                : { type: 'string', ...schema },
          },
        ]),
      ),
    }),
  };
}

/** Codes by status, as responses are described by their status: `Error429` has two. */
function statuses(): [name: string, codes: ErrorCode[]][] {
  const codes = Object.keys(errorTable) as ErrorCode[];
  const byStatus = Map.groupBy(codes, (code) => errorTable[code].status);
  return [...byStatus].map(([status, all]) => [`Error${status}`, all]);
}

function toError(codes: ErrorCode[], schema: 'Error' | 'OpenAiError'): Json {
  const [first] = codes;
  const status = first ? errorTable[first].status : 500;
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].remedy}`).join(' '),
    ...((status === 429 || status === 503) && {
      headers: {
        'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
      },
    }),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
