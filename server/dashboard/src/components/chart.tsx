/** Counts over time as bars, with the numbers as a table. The plot's own code comes after the page. */
import './chart.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { theme } from '../theme.ts';
import { formatNumber } from './number.tsx';
import { Table } from './table.tsx';
import { toastError } from './toast.tsx';

interface ChartProps {
  title: string;
  /** When each value begins. */
  times: readonly number[];
  /** They stand on each other, the first one at the bottom. Of several, those without a value are left out. */
  series: readonly {
    label: string;
    values: readonly number[];
    /** A point at its own height. These come last. */
    isMark?: boolean;
  }[];
  format?: (value: number) => string;
}

const height = 220;
const dayMs = 86_400_000;
const fullDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const fullHour = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const shortDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const shortHour = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
/** 1, 2, 5, 10, 20, …: there is no half question. */
const wholeSteps = Array.from(
  { length: 36 },
  (_, at) => (at % 3 === 2 ? 5 : 1 + (at % 3)) * 10 ** Math.floor(at / 3),
);

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

export function Chart({ title, times, series, format = formatNumber }: ChartProps) {
  const figure = useRef<HTMLElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const isDaily = (times[1] ?? dayMs) - (times[0] ?? 0) > dayMs / 2;
  const nameTime = (index: number) => (isDaily ? fullDay : fullHour).format(times[index]);
  const shown = series
    .map((one, index) => ({ ...one, total: sumOf(one.values), color: `color-${index + 1}` }))
    .filter(({ total }, index) => total > 0 || index === 0);

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
  }, [JSON.stringify([times, shown]), isTable, theme.value]);

  function draw(Plot: typeof uPlot, element: HTMLElement): () => void {
    const color = (name: string) => () => {
      const found = figure.current?.querySelector(`.${name}`);
      return found ? getComputedStyle(found).color : '';
    };
    const bars = Plot.paths.bars?.({ size: [0.72, 48], radius: 0.06 });
    const axis = {
      stroke: color('chart-quiet'),
      font: '12px "Geist Variable", system-ui, sans-serif',
      ticks: { show: false },
      grid: { stroke: color('chart-line'), width: 1 },
    };
    const halfStep = ((times[1] ?? dayMs) - (times[0] ?? 0)) / 2000;
    // What is drawn later covers what stands on it.
    const stacked = shown.filter(({ isMark }) => !isMark);
    const sums: (number | null)[][] = stacked.map((_, index) =>
      times.map((_time, time) =>
        sumOf(stacked.slice(0, index + 1).map(({ values }) => values[time] ?? 0)),
      ),
    );
    const marks = shown.filter(({ isMark }) => isMark);
    const points = marks.map(({ values }) => times.map((_, time) => values[time] || null));
    const isWhole = shown.every(({ values }) => values.every(Number.isInteger));
    const options: uPlot.Options = {
      width: element.clientWidth,
      height,
      // The last bar's label may be wider than the bar.
      padding: [8, Math.max(0, 26 - element.clientWidth / times.length / 2), 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: false },
        // The line stands in the middle of the bar.
        move: (self, left, top) =>
          left < 0
            ? [left, top]
            : [self.valToPos(self.data[0][self.posToIdx(left)] ?? 0, 'x'), top],
      },
      scales: {
        // The first and the last bar need half of their width more.
        // Not from what it's given, which is its own result when the colors change.
        x: {
          range: () => [(times[0] ?? 0) / 1000 - halfStep, (times.at(-1) ?? 0) / 1000 + halfStep],
        },
        y: { range: (_plot, _min, max) => [0, (max || 1) * 1.08] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 26,
          space: isDaily ? 50 : 72,
          ...(isDaily && { incrs: [1, 2, 7, 14].map((days) => (days * dayMs) / 1000) }),
          values: (_plot, ticks) =>
            ticks.map((tick) => (isDaily ? shortDay : shortHour).format(tick * 1000)),
        },
        {
          ...axis,
          size: (_plot, values) => 12 + 7 * Math.max(0, ...(values ?? []).map((one) => one.length)),
          ...(isWhole && { incrs: wholeSteps }),
          values: (_plot, ticks) => ticks.map(format),
        },
      ],
      series: [
        {},
        ...stacked
          .map((one) => ({
            width: 0,
            points: { show: false },
            fill: color(one.color),
            ...(bars && { paths: bars }),
          }))
          .toReversed(),
        ...marks.map((one) => ({
          paths: () => null,
          points: {
            show: true,
            size: 10,
            width: 2,
            fill: color(one.color),
            stroke: color('chart-line'),
          },
        })),
      ],
      hooks: { setCursor: [({ cursor }) => setAt(cursor.idx ?? null)] },
    };
    const drawn = new Plot(
      options,
      [times.map((ms) => ms / 1000), ...sums.toReversed(), ...points],
      element,
    );
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
      <figcaption>
        {shown.map(({ label, values, total, color }) => (
          <span key={label} class={`key ${color}`}>
            <span>{label}</span> <strong>{format(at === null ? total : (values[at] ?? 0))}</strong>
          </span>
        ))}
        <span class="chart-quiet">{at !== null && nameTime(at)}</span>
        <span class="chart-line" />
        <button type="button" class="link" onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
      {isTable ? (
        <Table
          label={title}
          columns={[
            { title: isDaily ? 'Day' : 'Time', cell: ({ index }) => nameTime(index) },
            ...shown.map(({ label, values }) => ({
              title: label,
              isNumber: true,
              cell: ({ index }: { index: number }) => format(values[index] ?? 0),
            })),
          ]}
          rows={times.map((_, index) => ({ index }))}
          keyOf={({ index }) => String(times[index])}
          empty={null}
        />
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
