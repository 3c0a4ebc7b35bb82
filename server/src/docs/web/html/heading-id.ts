/** The anchors of headings: ids that the page has. */
import type { Element } from 'hast';
import { decodePercent } from '../../generators/paths.ts';
import {
  childrenOf,
  find,
  findAll,
  hasClass,
  type HtmlNode,
  isElement,
  isTag,
  plainText,
  property,
} from './elements.ts';

const headings = isTag('h1', 'h2', 'h3', 'h4', 'h5', 'h6');

export function headingIds(root: HtmlNode): Map<Element, string> {
  const targets = new Set(findAll(root, (one) => targetOf(one) !== '').map((one) => targetOf(one)));
  const ids = new Map<Element, string>();
  visit(root, undefined);
  return ids;

  function visit(node: HtmlNode, section: Element | undefined): void {
    let previous: Element | undefined;
    let isFirst = true;
    for (const child of childrenOf(node)) {
      if (!isElement(child)) continue;
      if (headings(child)) {
        const own = ownId(child) ?? linkedId(child) ?? (previous && neighbourId(previous));
        // Sphinx and others put the id on the section of the heading.
        const opened = isFirst && section ? targetOf(section) : '';
        const id = own ?? opened;
        if (id && targets.has(id)) ids.set(child, id);
        isFirst = false;
      } else {
        // A wrapper around a heading starts the same section as the heading.
        const opens = /^(section|article|div|header)$/.test(child.tagName);
        visit(child, opens && targetOf(child) ? child : isFirst ? section : undefined);
        if (find(child, headings)) isFirst = false;
      }
      previous = child;
    }
  }

  function linkedId(heading: Element): string | undefined {
    const links = findAll(heading, (one) => one.tagName === 'a');
    const hashes = links.map((one) => property(one, 'href')).filter((href) => href.startsWith('#'));
    const id = hashes.length === 1 ? decodePercent(hashes[0]?.slice(1) ?? '') : undefined;
    return id !== undefined && targets.has(id) ? id : undefined;
  }
}

function ownId(heading: Element): string | undefined {
  const inner = find(heading, (one) => targetOf(one) !== '');
  return targetOf(heading) || (inner && targetOf(inner)) || undefined;
}

/** Reads the id of an empty element before the heading: `<a id="x"></a><h2>`. */
function neighbourId(previous: Element): string | undefined {
  const isAnchor = previous.tagName === 'a' || previous.tagName === 'span';
  return isAnchor && plainText(previous) === '' ? targetOf(previous) || undefined : undefined;
}

function targetOf(element: Element): string {
  return property(element, 'id') || (element.tagName === 'a' ? property(element, 'name') : '');
}

/** Whether a link in or beside a heading only exists to be copied. */
export function isAnchorLink(element: Element): boolean {
  if (element.tagName !== 'a') return false;
  const href = property(element, 'href');
  if (href !== '' && !href.includes('#')) return false;
  if (
    hasClass(
      element,
      /^(hash-link|header-anchor|headerlink|heading-anchor|sl-anchor-link|anchor-link|subheading-anchor|anchorjs-link|td-heading-self-link|permalink|heading-permalink)$/,
    )
  ) {
    return true;
  }
  return /^[¶#§🔗⚓​]*$/u.test(plainText(element)) && !find(element, isTag('img', 'code'));
}
