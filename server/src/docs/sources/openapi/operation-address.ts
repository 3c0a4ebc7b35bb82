/** The address of an operation in an API reference, by the tool that builds the reference. */
import { slug } from 'github-slugger';
import { type Operation, textOf } from './document.ts';
import { operationTitle } from './operation-page.ts';

/**
 * `pages`: a page for each operation, `/{tag}/{summary}`, as in Mintlify, Fern, and Docusaurus. The
 * others show all operations on one page, with different anchors. A pattern may contain the placeholders
 * {tag}, {operationId}, {method}, {route}, and {summary}.
 */
const layouts: Record<string, string> = {
  pages: '/{tag-slug}/{summary-slug}',
  redoc: '#tag/{tag-dashed}/operation/{operationId}',
  'swagger-ui': '#/{tag}/{operationId}',
  scalar: '#tag/{tag-slug}/{METHOD}{route}',
  stoplight: '#/operations/{operationId}',
};

export interface OperationAddress {
  /** The unique path in the index. */
  path: string;
  /** Relative to the base path. Starts with `/` or `#`. */
  place: string;
}

export function createOperationAddresses(layout: string) {
  const template = layouts[layout] ?? layout;
  const used = new Map<string, number>();
  return (one: Operation): OperationAddress => {
    const { tag, method, route, operation } = one;
    const summary = operationTitle(one);
    const id = textOf(operation['operationId']) || slug(`${method} ${route}`);
    const group = tag === '' ? 'default' : tag;
    const values: Record<string, string> = {
      tag: encodeURIComponent(group),
      'tag-dashed': encodeURIComponent(group.replaceAll(' ', '-')),
      'tag-slug': slug(group),
      operationId: encodeURIComponent(id),
      'operationId-slug': slug(id),
      method,
      METHOD: method.toUpperCase(),
      route,
      summary: encodeURIComponent(summary),
      'summary-slug': slug(summary),
    };
    const place = template.replaceAll(
      /\{([A-Za-z-]+)\}/g,
      (whole, name: string) => values[name] ?? whole,
    );
    const name = `/${slug(group)}/${slug(summary)}`;
    const count = used.get(name) ?? 0;
    used.set(name, count + 1);
    return { path: count === 0 ? name : `${name}-${count}`, place };
  };
}
