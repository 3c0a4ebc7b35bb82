/** A time series, with its numbers as a table. The plot's own code comes after the page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { theme } from '../theme.ts';
import { formatNumber } from './number.tsx';
import { toastError } from './toast.tsx';

interface ChartProps {
  title: string;
  /** When each value begins. */
  times: readonly (string | number)[];
  series: readonly { label: string; values: readonly (number | null)[] }[];
  format?: (value: number) => string;
  /** Bars are for counts, and stand on each other; lines are for other values. */
  kind?: 'line' | 'bars';
  height?: number;
}

const dayMs = 86_400_000;
const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const fullHour = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const shortDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const shortHour = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const colorOf = (index: number) => `color-${(index % 4) + 1}`;

export function Chart(props: ChartProps) {
  const { title, times, series, format = formatNumber, kind = 'line', height = 200 } = props;
  const figure = useRef<HTMLElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const moments = times.map((time) => new Date(time).getTime());
  const stepMs = (moments[1] ?? dayMs) - (moments[0] ?? 0);
  const isDaily = stepMs >= dayMs;
  const nameTime = (index: number) => (isDaily ? fullDay : fullHour).format(moments[index]);
  const isStacked = kind === 'bars';

  useEffect(() => {
    let drawn: (() => void) | undefined;
    let isGone = false;
    const load = import('./plot.ts').then(({ uPlot: Plot }) => {
      const element = plot.current;
      if (element && !isGone) drawn = draw(Plot, element);
    });
    load.catch(toastError);
    return () => {
      isGone = true;
      drawn?.();
    };
  }, [JSON.stringify([moments, series]), kind, height, isTable, theme.value]);

  function draw(Plot: typeof uPlot, element: HTMLElement): () => void {
    const color = (name: string) => () => {
      const found = figure.current?.querySelector(`.${name}`);
      return found ? getComputedStyle(found).color : '';
    };
    const bars = Plot.paths.bars?.({ size: [0.7, 36], radius: 0.12 });
    const axis = {
      stroke: color('chart-quiet'),
      font: '12px "Geist Variable", system-ui, sans-serif',
      ticks: { show: false },
      grid: { stroke: color('chart-line'), width: 1 },
    };
    const options: uPlot.Options = {
      width: element.clientWidth,
      height,
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: !isStacked, size: 7 }, drag: { x: false } },
      scales: {
        // The first and the last bar need half of their width more.
        ...(isStacked && { x: { range: (_plot, min, max) => around(min, max, stepMs / 2000) } }),
        y: { range: (_plot, _min, max) => [0, (max || 1) * 1.1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 26,
          ...(isDaily && { incrs: [1, 2, 7, 14, 30, 90].map((days) => (days * dayMs) / 1000) }),
          values: (_plot, ticks) =>
            ticks.map((tick) => (isDaily ? shortDay : shortHour).format(tick * 1000)),
        },
        { ...axis, size: 52, values: (_plot, ticks) => ticks.map(format) },
      ],
      series: [
        {},
        ...series.map((_one, index) => ({
          stroke: color(colorOf(index)),
          width: isStacked ? 0 : 1.75,
          points: { show: moments.length < 2 },
          ...(isStacked && { fill: color(colorOf(index)), ...(bars && { paths: bars }) }),
        })),
      ],
      hooks: { setCursor: [({ cursor }) => setAt(cursor.idx ?? null)] },
    };
    const values = series.map((one, index) =>
      isStacked
        ? moments.map((_, time) =>
            series.slice(index).reduce((sum, below) => sum + (below.values[time] ?? 0), 0),
          )
        : [...one.values],
    );
    const drawn = new Plot(options, [moments.map((ms) => ms / 1000), ...values], element);
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
  }

  return (
    <figure class="chart" ref={figure} aria-label={title}>
      <figcaption class="chart-head">
        <span class="chart-keys">
          {series.map(({ label, values }, index) => (
            <span key={label} class={`key ${colorOf(index)}`}>
              <span class="name">
                {label} {at !== null && format(values[at] ?? 0)}
              </span>
            </span>
          ))}
          <span class="chart-quiet">{at !== null && nameTime(at)}</span>
          <span class="chart-line" />
        </span>
        <button type="button" class="link" onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
      {isTable ? (
        <table class="rows">
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
          style={{ minHeight: `${height}px` }}
          role="img"
          aria-label={`${title}. “Show as table” has the numbers.`}
        />
      )}
    </figure>
  );
}

const around = (min: number, max: number, margin: number): [number, number] => [
  min - margin,
  max + margin,
];
