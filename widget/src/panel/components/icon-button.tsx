import type { FunctionComponent } from 'preact';

interface IconButtonProps {
  /** The accessible name and the tooltip. */
  name: string;
  testId: string;
  class?: string;
  part?: string;
  type?: 'button' | 'submit';
  disabled?: boolean;
  'aria-haspopup'?: 'menu';
  'aria-expanded'?: boolean;
  onClick?: () => void;
  icon: FunctionComponent;
}

export function IconButton({ name, testId, icon: Icon, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      data-testid={testId}
      aria-label={name}
      title={name}
      {...rest}
    >
      <Icon />
    </button>
  );
}
