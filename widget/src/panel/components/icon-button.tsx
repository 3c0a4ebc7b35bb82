import type { FunctionComponent, JSX } from 'preact';

type ButtonProps = JSX.IntrinsicElements['button'] & { testId: string };

/** A button with words. */
export const Button = ({ testId, ...rest }: ButtonProps) => (
  <button type="button" class="button" data-testid={testId} {...rest} />
);

interface IconButtonProps extends ButtonProps {
  name: string;
  icon: FunctionComponent;
  /** Shows the name beside the icon. Otherwise, it's the accessible name and the tooltip. */
  hasWords?: boolean | undefined;
}

export function IconButton({ name, icon: Icon, hasWords, ...rest }: IconButtonProps) {
  return (
    <Button class="icon-button" aria-label={name} title={hasWords ? undefined : name} {...rest}>
      <Icon />
      {hasWords && <span>{name}</span>}
    </Button>
  );
}
