import { z } from 'zod';
import { write } from './fields.ts';

const onOff = (what: string) => z.boolean(write(`true or false: whether ${what}`)).default(true);

/** What a change has to pass before it becomes a pull request. */
export const ChecksConfig = z
  .strictObject(
    {
      links: onOff('links must lead to pages'),
      anchors: onOff('links must lead to headings'),
      images: onOff('images must exist'),
      /** The path of a JSON schema in the repository checks each page’s frontmatter against it. */
      frontmatter: z
        .union([z.boolean(), z.string().regex(/^(?!\/)(?!.*\.\.).+\.json$/)], {
          error:
            'must be true, false, or the path of a JSON schema in the repository, such as "docs/frontmatter.schema.json"',
        })
        .default(true),
      navigation: onOff('entries of the navigation must lead to pages'),
      fences: onOff('code blocks must be closed'),
      mdx: onOff('MDX must be valid'),
      /** `fail`: a change that breaks something ends the job; `draft`: its pull request is a draft that lists what. */
      onFailure: z.enum(['fail', 'draft'], { error: 'must be "fail" or "draft"' }).default('fail'),
    },
    write('an object such as { "onFailure": "draft" }'),
  )
  .prefault({});
export type ChecksConfig = z.output<typeof ChecksConfig>;
