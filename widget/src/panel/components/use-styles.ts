import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { adoptStyles } from '../../styles/adopt-styles.ts';

export function useStyles(within: RefObject<HTMLElement | null>, css: string): void {
  useLayoutEffect(() => {
    const root = within.current?.getRootNode();
    return root instanceof ShadowRoot ? adoptStyles(root, css) : undefined;
  }, []);
}
