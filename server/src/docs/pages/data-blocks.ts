/** Turns data in component attributes, as API references have it, into a list of names with descriptions. */
import type { Block } from './render.ts';

/** Only items with a name are for readers. Settings of a component have none. */
export function toDataBlocks(data: unknown[]): Block[] {
  const items = data.flatMap((one) => itemsOf(one, 0));
  if (items.length === 0) return [];
  return [
    {
      kind: 'list',
      markdown: items.map((item) => item.markdown).join('\n'),
      text: items.map((item) => item.text).join('\n'),
      code: '',
      items,
    },
  ];
}

function itemsOf(data: unknown, depth: number): Block[] {
  if (depth > 12 || typeof data !== 'object' || data === null) return [];
  if (Array.isArray(data)) return data.flatMap((one) => itemsOf(one, depth));
  const fields = data as Record<string, unknown>;
  const pick = (...names: string[]): string => {
    const found = names
      .map((name) => fields[name])
      .find((value) => typeof value === 'string' && value.trim());
    return typeof found === 'string' ? found.trim().replaceAll(/\s+/g, ' ') : '';
  };
  const name = pick('name', 'title', 'label');
  const type = pick('type');
  const about = pick('description', 'text', 'content');
  const isNamed = name !== '' && (type !== '' || about !== '');
  const below = Object.values(fields).flatMap((value) =>
    itemsOf(value, isNamed ? depth + 1 : depth),
  );
  if (!isNamed) return below;
  const facts = [type && `\`${type}\``, fields['isOptional'] === true && 'optional']
    .filter(Boolean)
    .join(', ');
  const markdown = `${'  '.repeat(depth)}- \`${name}\`${facts ? ` (${facts})` : ''}${about ? `: ${about}` : ''}`;
  return [
    { kind: 'text', markdown, text: [name, type, about].filter(Boolean).join(' '), code: '' },
    ...below,
  ];
}
