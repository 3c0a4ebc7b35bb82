/** Pages as they are written for the generators that people use. */
import { describe, expect, test } from 'vitest';
import { readPage } from './read-page.ts';
import { plainSite } from '../../../testing/plain-site.ts';

function read(file: string, markdown: string): ReturnType<typeof readPage> {
  const warnings: string[] = [];
  const page = readPage({
    file,
    markdown,
    site: plainSite('/docs'),
    onWarning: (one) => warnings.push(one),
  });
  expect(warnings).toEqual([]);
  return page;
}

describe('Docusaurus', () => {
  const page = read(
    'guides/deploy.mdx',
    `---
id: deploy
title: Deployment
sidebar_position: 3
tags: [ops]
---

import Tabs from '@theme/Tabs';
import TabItem from '@theme/TabItem';

# Deployment {#top}

Build first, see [the CLI](../cli.md#build).

<!-- truncate -->

:::warning[Mind the cache]

Clear the **cache** first.

:::

:::tip
Short tip.
:::

## Servers {#servers-id}

<Tabs groupId="os">
  <TabItem value="apache" label="Apache">

  Use \`.htaccess\`:

  \`\`\`apacheconf title=".htaccess"
  RewriteEngine On
    Indented yes
  \`\`\`

  </TabItem>
  <TabItem value="nginx" label="Nginx">Use a location block.</TabItem>
</Tabs>

<details>
  <summary>More hosts</summary>

  ### Shared hosting

  Upload \`build/\`.
</details>
`,
  );

  test('the page', () => {
    expect(page).toMatchObject({ path: '/docs/guides/deploy', title: 'Deployment', tags: ['ops'] });
    expect(page.passages.map((one) => [one.anchor, one.heading, one.headingPath])).toEqual([
      ['', 'Deployment', []],
      ['servers-id', 'Servers', []],
      ['shared-hosting', 'Shared hosting', ['Servers']],
    ]);
  });

  test('admonitions', () => {
    expect(page.passages[0]?.markdown).toBe(
      'Build first, see [the CLI](/docs/cli#build).\n\n**Mind the cache**\n\nClear the **cache** first.\n\n**Tip**\n\nShort tip.',
    );
    expect(page.passages[0]?.text).toBe(
      'Build first, see the CLI.\nMind the cache\nClear the cache first.\nTip\nShort tip.',
    );
  });

  test('tabs', () => {
    expect(page.passages[1]?.markdown).toBe(
      '**Apache**\n\nUse `.htaccess`:\n\n```apacheconf title=".htaccess"\nRewriteEngine On\n  Indented yes\n```\n\n**Nginx**\n\nUse a location block.\n\nMore hosts',
    );
  });
});

describe('VitePress', () => {
  const page = read(
    'guide/index.md',
    `---
title: Guide
outline: deep
---

<script setup>
import Demo from '../../ingest/Demo.vue'
const count = 1
</script>

# Guide <Badge type="tip" text="beta" />

[[toc]]

::: tip Custom title
Use {{ count }} of it.
:::

::: details Click me
- one
- two
:::

::: code-group
\`\`\`sh [npm]
npm add x
\`\`\`
\`\`\`sh [pnpm]
pnpm add x
\`\`\`
:::

<<< @/snippets/a.js

## Options {#the-options}

| Option | Is |
| --- | --- |
| a | b |
:::
`,
  );

  test('the page', () => {
    expect(page).toMatchObject({ path: '/docs/guide', title: 'Guide' });
    expect(page.passages.map((one) => one.anchor)).toEqual(['', 'the-options']);
  });

  test('containers and code groups, without syntax for the generator', () => {
    expect(page.passages[0]?.markdown).toBe(
      '**Custom title**\n\nUse {{ count }} of it.\n\n**Click me**\n\n- one\n- two\n\n```sh\nnpm add x\n```\n\n```sh\npnpm add x\n```',
    );
    expect(page.passages[1]?.markdown).toBe('| Option | Is |\n| --- | --- |\n| a | b |');
  });
});

describe('Starlight', () => {
  const page = read(
    'start/install.mdx',
    `---
title: Install
description: How to install.
---
import { Steps, Aside, LinkCard, FileTree } from '@astrojs/starlight/components';

<Steps>
1. Run the command:

   \`\`\`sh
   npm create astro
   \`\`\`

2. Answer the questions.
</Steps>

<Aside type="caution" title="Old Node">Needs Node 20.</Aside>

<Aside type="danger">Backs up nothing.</Aside>

<LinkCard title="Next step" description="Write a page." href="/docs/pages/" />

<FileTree>
- src
  - pages **here**
</FileTree>
`,
  );

  test('reads in order', () => {
    expect(page.description).toBe('How to install.');
    expect(page.markdown).toBe(
      '1. Run the command:\n\n   ```sh\n   npm create astro\n   ```\n2. Answer the questions.\n\n**Old Node**\n\nNeeds Node 20.\n\n**Danger**\n\nBacks up nothing.\n\n**[Next step](/docs/pages)**\n\nWrite a page.\n\n- src\n  - pages **here**',
    );
    expect(page.passages[0]?.code).toBe('npm create astro');
  });
});

describe('Mintlify', () => {
  const page = read(
    'api/users.mdx',
    `---
title: "Users"
---

export const Helper = ({ name }) => <b>{name}</b>;

<ParamField query="limit" type="number" default="10" required>
  How many to return.
</ParamField>

<CardGroup cols={2}>
  <Card title="Quickstart" icon="rocket" href="/quickstart">
    Five minutes.
  </Card>
</CardGroup>

<AccordionGroup>
  <Accordion title="Why is it empty?">
    There are no users.

    <Warning>Never delete them.</Warning>
  </Accordion>
</AccordionGroup>

<CodeGroup>
\`\`\`bash cURL
curl x
\`\`\`
</CodeGroup>

<Frame caption="The list">
  <img src="../images/list.png" alt="List of users" />
</Frame>

<Table rows={[{ name: 'id', type: 'string', description: 'The id.', properties: [{ name: 'sub', type: 'x' }] }]} />
`,
  );

  test('components read as text, in order', () => {
    expect(page.markdown).toBe(
      [
        '**`limit`** (number, default 10)',
        'How many to return.',
        '**[Quickstart](/quickstart)**',
        'Five minutes.',
        '**Why is it empty?**',
        'There are no users.',
        '**Warning**',
        'Never delete them.',
        '```bash\ncurl x\n```',
        'The list',
        '![List of users](/docs/images/list.png)',
        '- `id` (`string`): The id.\n  - `sub` (`x`)',
      ].join('\n\n'),
    );
  });

  test('without imports and exports', () => {
    for (const word of ['rocket', 'cols', 'Helper', 'CardGroup'])
      expect(page.markdown).not.toContain(word);
  });
});
