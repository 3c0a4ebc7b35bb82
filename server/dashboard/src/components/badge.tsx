import type { ComponentChildren } from 'preact';

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info';

export const Badge = ({
  tone = 'neutral',
  children,
}: {
  tone?: Tone;
  children: ComponentChildren;
}) => <span class={`badge ${tone}`}>{children}</span>;

/** A sentence about the whole page or dialog. */
export const Notice = ({
  tone = 'info',
  children,
}: {
  tone?: Tone;
  children: ComponentChildren;
}) => <p class={`notice ${tone}`}>{children}</p>;
