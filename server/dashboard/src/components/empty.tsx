/** What stands where there is nothing yet, or where something failed. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.ts';
import type { Loaded } from '../api/load.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';
import { Skeleton } from './skeleton.tsx';

interface EmptyProps {
  icon?: IconName;
  title: string;
  /** What to do next. */
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

export function Empty({ icon = 'info', title, children, actions }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
}

/** Where filters leave nothing. */
export const NoMatch = ({ onClear }: { onClear: () => void }) => (
  <Empty
    icon="search"
    title="Nothing matches these filters"
    actions={<Button onClick={onClear}>Show everything</Button>}
  />
);

interface FailureProps {
  error: ApiError;
  reload?: () => void;
}

export function Failure({ error, reload }: FailureProps) {
  return (
    <div class="empty" role="alert">
      <Icon name="alert" />
      <h2>{error.status === 404 ? 'Not found' : 'This couldn’t be loaded'}</h2>
      <p>{error.message}</p>
      {reload && error.status !== 404 && (
        <div class="actions">
          <Button onClick={reload}>Try again</Button>
        </div>
      )}
    </div>
  );
}

interface LoadProps<T> {
  from: Loaded<T>;
  /** Lines of the placeholder. */
  lines?: number;
  children: (data: T) => ComponentChildren;
}

/** Draws data once it's there, and a placeholder or the error until then. */
export function Load<T>({ from, lines = 4, children }: LoadProps<T>) {
  const data = from.data.value;
  const error = from.error.value;
  if (error && (data === undefined || error.status === 404)) {
    return <Failure error={error} reload={from.reload} />;
  }
  return data === undefined ? <Skeleton lines={lines} /> : <>{children(data)}</>;
}
