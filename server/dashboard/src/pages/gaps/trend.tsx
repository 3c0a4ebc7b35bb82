import { formatNumber } from '../../components/number.tsx';

/** Questions per week as bars. The newest week is last. */
export function Trend({ weeks, isLarge = false }: { weeks: readonly number[]; isLarge?: boolean }) {
  const most = Math.max(1, ...weeks);
  const label = `Questions per week, the newest last: ${weeks.map(formatNumber).join(', ')}`;
  return (
    <svg
      class={isLarge ? 'trend large' : 'trend'}
      viewBox={`0 0 ${weeks.length * 8} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {weeks.map((count, week) => {
        const height = count === 0 ? 1 : Math.max(2, (count / most) * 24);
        return (
          <rect
            key={week}
            class={count === 0 ? 'none' : undefined}
            x={week * 8 + 1}
            y={24 - height}
            width={6}
            height={height}
          />
        );
      })}
    </svg>
  );
}
