/** Components that are drawn again only when something of theirs is new. */
import { h, type ComponentType, type FunctionComponent, type VNode } from 'preact';
import { useRef } from 'preact/hooks';

/**
 * For the parts of a conversation, of which only the last one changes while an answer grows: with the
 * same properties it gives back the same node, and Preact skips all that is below it.
 */
export function keepSame<Props extends object>(
  View: ComponentType<Props>,
): FunctionComponent<Props> {
  return function Same(props: Props) {
    const last = useRef<{ props: Props; node: VNode<Props> }>(undefined);
    const names = Object.keys(props) as (keyof Props)[];
    if (!last.current || names.some((name) => last.current?.props[name] !== props[name]))
      last.current = { props, node: h(View, props) };
    return last.current.node;
  };
}
