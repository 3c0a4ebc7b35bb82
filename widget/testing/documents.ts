/** Markdown as models write it, for tests that cut it anywhere. */
export const documents: Record<string, string> = {
  plain:
    'One paragraph.\n\nAnother, with **bold**, *italic*, ~~gone~~ and `code`.\nIts second line.',
  answer: `To install it, add **one script tag** [1]. It loads *later* [2, 3].

### Steps

1. Run \`docent keys create\`.
2. Copy the key; it is [shown once](https://example.com/keys_(new)).

   A second paragraph of the item.

3. Paste it:

   \`\`\`html
   <script src="x.js"></script>
   \`\`\`

| Option | Default |
|---|:--:|
| \`a\` | 1 |
| b<br>c | **two** |

> Quoted *words*
> on two lines

---

Done.`,
  lists: `- a
- b
  - b1
  - b2

    deep paragraph
- c

- loose

* another list
+ and another

1. one
2. two

2) other marker

- [ ] open
- [x] done`,
  code: `Before

\`\`\`ts
const a = 1;

// a blank line above
\`\`\`
After at once

~~~
tildes \`\`\`
~~~

    indented

    still code

\`\`\`\`md
\`\`\`js
inner
\`\`\`
\`\`\`\`

\`\`\`bash
never closed`,
  headings: `# One
text right below
## Two

Setext
======

Other
---

#nospace
####### seven`,
  tables: `| a | b |
|---|---|
| 1 | 2 |

Text | with | bars
not a table

a | b
- | -
1 | 2

After`,
  links: `See https://example.com/a_b, <https://example.org>, [ref][1], [1]: nothing,
[text](/path "title") and ![alt](https://evil.example/p.png) and mail@example.com.

[1]: https://definition.example

Text ![pic](/local.png) [a](b(c)d) [x](<y z>) [unfinished](http://`,
  html: `<div onclick="x()">block</div>

A <b>bold</b> <script>alert(1)</script> word &amp; &lt;tag&gt; &#65; &unknown;

<!-- a comment
over lines -->

<details>
<summary>More</summary>

inside

</details>`,
  odd: 'a\r\nb\r\n\r\n- x\r\n- y\r\n\r\n* * *\r\n\\*escaped\\* **nested *both* done** ***three*** __under__ snake_case_word 2*3*4',
  ends: 'text **bold\n\nnext `code\n\n[link\n\n> quote\n\n- item **x\n\n1. a\n\n2',
};
