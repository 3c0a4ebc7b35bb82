/** Holds real replies against what the service itself says they are. */
import { createRequire } from 'node:module';
import type { Ajv2020 as Ajv, ValidateFunction } from 'ajv/dist/2020.js';

// Both are CommonJS, whose default export TypeScript and Node see differently.
const load = createRequire(import.meta.url);

interface Described {
  paths: Record<
    string,
    Record<
      string,
      {
        security: Record<string, string[]>[];
        requestBody?: { content: Record<string, { schema: object }> };
        responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>;
      }
    >
  >;
  components: {
    responses: Record<string, { content: Record<string, { schema: object }> }>;
    schemas: Record<string, object>;
  };
}

export async function openApiOf(url: string) {
  const described = (await (await fetch(`${url}/openapi.json`)).json()) as Described;
  const { Ajv2020 } = load('ajv/dist/2020.js') as { Ajv2020: new (options: object) => Ajv };
  const addFormats = load('ajv-formats') as (ajv: Ajv) => void;
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats(ajv);
  ajv.addSchema({ $id: 'api', components: { schemas: described.components.schemas } });
  const compiled = new Map<object, ValidateFunction>();

  function validate(schema: object, value: unknown): string[] {
    const known = compiled.get(schema);
    const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
    const check = known ?? ajv.compile(JSON.parse(text) as object);
    compiled.set(schema, check);
    if (check(value)) return [];
    return (check.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
  }

  return {
    /** Every endpoint that takes a body from the bearer of a key. */
    withBody: Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody, security }]) =>
        requestBody && security.some((each) => 'assistantKey' in each || 'adminKey' in each)
          ? [`${method} ${path}`]
          : [],
      ),
    ),

    /** Whether a body is as described. */
    accepts(endpoint: string, body: unknown): boolean {
      const [method = '', path = ''] = endpoint.split(' ');
      const schema = described.paths[path]?.[method]?.requestBody?.content['application/json'];
      return schema !== undefined && validate(schema.schema, body).length === 0;
    },

    /** What is wrong with a reply; empty where it is as described. */
    wrongWith(
      method: string,
      path: string,
      reply: { status: number; headers: Headers; body: unknown },
    ): string[] {
      const operation = described.paths[path]?.[method.toLowerCase()];
      if (!operation) return [`${method} ${path} is not described`];
      const response = operation.responses[String(reply.status)];
      if (!response) return [`${method} ${path} does not say that it may answer ${reply.status}`];
      const known = response.$ref
        ? described.components.responses[response.$ref.split('/').at(-1) ?? '']
        : response;
      const type = (reply.headers.get('content-type') ?? '').split(';')[0] ?? '';
      const content = known?.content?.[type];
      if (!content) return [`${method} ${path} does not say that it may answer with ${type}`];
      return validate(content.schema, reply.body);
    },
  };
}
