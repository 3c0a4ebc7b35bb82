/** A time series, with its numbers as a table. Only pages with charts load this file. */
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../theme.ts';
import { formatNumber } from './number.tsx';

interface Series {
  label: string;
  values: readonly (number | null)[];
}

interface ChartProps {
  title: string;
  /** When each value begins. */
  times: readonly (string | number)[];
  series: readonly Series[];
  format?: (value: number) => string;
  /** Bars are for counts per day, lines for values. */
  kind?: 'line' | 'bars';
  height?: number;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const hour = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dayMs = 86_400_000;

export function Chart({
  title,
  times,
  series,
  format = formatNumber,
  kind = 'line',
  height = 200,
}: ChartProps) {
  const figure = useRef<HTMLElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const moments = times.map((time) => new Date(time).getTime());
  const isDaily = (moments[1] ?? dayMs) - (moments[0] ?? 0) >= dayMs;
  const nameTime = (index: number) => (isDaily ? day : hour).format(moments[index]);
  const chosen = theme.value;

  useEffect(() => {
    const element = plot.current;
    if (!element) return undefined;
    const color = (name: string) =>
      getComputedStyle(figure.current!.querySelector(`.${name}`)!).color;
    const quiet = () => color('chart-quiet');
    const line = () => color('chart-line');
    const axis = {
      stroke: quiet,
      font: '12px "Geist Variable", system-ui, sans-serif',
      ticks: { show: false },
      grid: { stroke: line, width: 1 },
    };
    const bars = uPlot.paths.bars;
    const options: uPlot.Options = {
      width: element.clientWidth,
      height,
      legend: { show: false },
      cursor: { y: false, points: { size: 7 }, drag: { x: false } },
      scales: { y: { range: (_plot, _min, max) => [0, (max || 1) * 1.1] } },
      axes: [
        { ...axis, grid: { show: false } },
        { ...axis, size: 52, values: (_plot, ticks) => ticks.map(format) },
      ],
      series: [
        {},
        ...series.map(({ label }, index) => ({
          label,
          stroke: () => color(`color-${(index % 4) + 1}`),
          width: kind === 'bars' ? 0 : 1.75,
          points: { show: moments.length < 2 },
          ...(kind === 'bars' && {
            fill: () => color(`color-${(index % 4) + 1}`),
            ...(bars && { paths: bars({ size: [0.7, 40], radius: 0.15 }) }),
          }),
        })),
      ],
      hooks: { setCursor: [({ cursor }) => setAt(cursor.idx ?? null)] },
    };
    const data = [moments.map((ms) => ms / 1000), ...series.map(({ values }) => [...values])];
    const drawn = new uPlot(options, data as uPlot.AlignedData, element);
    const observer = new ResizeObserver(() =>
      drawn.setSize({ width: element.clientWidth, height }),
    );
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => drawn.redraw();
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      observer.disconnect();
      drawn.destroy();
    };
  }, [JSON.stringify([moments, series]), kind, height, isTable, chosen]);

  return (
    <figure class="chart" ref={figure} aria-label={title}>
      <span class="chart-quiet" />
      <span class="chart-line" />
      <figcaption class="chart-head">
        <span class="chart-keys">
          {series.map(({ label, values }, index) => (
            <span key={label} class={`color-${(index % 4) + 1}`}>
              <span class="name">
                {label}
                {at !== null && ` ${format(values[at] ?? 0)}`}
              </span>
            </span>
          ))}
          <span class="chart-time quiet">{at !== null && nameTime(at)}</span>
        </span>
        <button type="button" class="link" onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
      {isTable ? (
        <table class="table">
          <caption class="unseen">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{isDaily ? 'Day' : 'Time'}</th>
              {series.map(({ label }) => (
                <th key={label} scope="col" class="end">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {moments.map((moment, index) => (
              <tr key={moment}>
                <td>{nameTime(index)}</td>
                {series.map(({ label, values }) => (
                  <td key={label} class="end number" data-label={label}>
                    {format(values[index] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <div
          ref={plot}
          class="chart-plot"
          role="img"
          aria-label={`${title}. “Show as table” has the numbers.`}
        />
      )}
    </figure>
  );
}
