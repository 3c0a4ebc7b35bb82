"""MkDocs: puts the Docent assistant on every page, in the color and font of the theme.

In mkdocs.yml:

    hooks:
      - docent_hook.py
"""

import json
from html import escape

# Every attribute of the script tag can be an option: "layout" is data-layout.
OPTIONS = {"url": "https://docent.example.com", "site": "acme-docs", "key": "svc_dsc_…"}

# Material has its colors on the body, and the assistant is beside it. A reader can change them.
FOLLOW_THEME = """<style>docent-widget{--docent-font:var(--docent-page-font)}</style>
<script>
window.Docent = window.Docent || function () { (Docent.q = Docent.q || []).push(arguments) };
(function () {
  function follow() {
    var style = getComputedStyle(document.body)
    var color = style.getPropertyValue("--md-typeset-a-color") || style.getPropertyValue("--bs-link-color")
    if (color.trim()) Docent("update", { accent: color.trim() })
    document.documentElement.style.setProperty("--docent-page-font", style.fontFamily)
  }
  follow()
  new MutationObserver(follow).observe(document.body, { attributes: true })
})()
</script>
"""


def tag():
    text = '<script src="%s/docent.js"' % escape(OPTIONS["url"].rstrip("/"))
    for name, value in OPTIONS.items():
        if name != "url":
            value = value if isinstance(value, str) else json.dumps(value)
            text += ' data-%s="%s"' % (name.replace("_", "-"), escape(value))
    return text + " async></script>\n"


def on_post_page(output, **_):
    before, end, after = output.rpartition("</body>")
    follow = "" if "accent" in OPTIONS else FOLLOW_THEME
    return before + follow + tag() + end + after if end else output
