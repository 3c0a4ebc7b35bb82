import { h, type ComponentType, type FunctionComponent, type VNode } from 'preact';
import { useRef } from 'preact/hooks';

/**
 * Draws a component again only if a property has changed: with the same element, Preact skips it.
 * Only the last part of a conversation changes while an answer grows.
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
