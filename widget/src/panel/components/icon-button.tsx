import type { FunctionComponent, JSX } from 'preact';

type ButtonProps = JSX.IntrinsicElements['button'] & { testId: string };

/** A button with words. */
export const Button = ({ testId, ...rest }: ButtonProps) => (
  <button type="button" class="button" data-testid={testId} {...rest} />
);

/** `name`: the accessible name and the tooltip. */
export function IconButton({
  name,
  icon: Icon,
  ...rest
}: ButtonProps & { name: string; icon: FunctionComponent }) {
  return (
    <Button class="icon-button" aria-label={name} title={name} {...rest}>
      <Icon />
    </Button>
  );
}
