import type { ComponentChildren } from 'preact';

interface IconButtonProps {
  /** The accessible name, also shown as a tooltip. */
  name: string;
  testId: string;
  class?: string;
  /** For `::part` of the owner's style sheets. */
  part?: string;
  type?: 'button' | 'submit';
  disabled?: boolean;
  'aria-haspopup'?: 'menu';
  'aria-expanded'?: boolean;
  onClick?: () => void;
  children: ComponentChildren;
}

/** A button that shows an icon only. */
export function IconButton({ name, testId, children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      data-testid={testId}
      aria-label={name}
      title={name}
      {...rest}
    >
      {children}
    </button>
  );
}
