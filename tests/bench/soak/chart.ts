/** Draws time series as one SVG: a row for each figure, a column for each database. */
export interface Series {
  name: string;
  color: string;
  points: { minute: number; value: number }[];
}

export interface Panel {
  title: string;
  unit: string;
  series: Series[];
}

const size = { width: 560, height: 180, left: 64, top: 40, gap: 36 };

export function drawCharts(columns: { title: string; panels: Panel[] }[]): string {
  const rows = columns[0]?.panels.length ?? 0;
  const width = columns.length * (size.width + size.left + size.gap);
  const height = 30 + rows * (size.height + size.top + size.gap);
  const body = columns.flatMap(({ title, panels }, column) => {
    const x = column * (size.width + size.left + size.gap) + size.left;
    const heading = `<text x="${x}" y="22" font-size="17" font-weight="600">${title}</text>`;
    return [heading, ...panels.map((panel, row) => drawPanel(panel, x, row, columns))];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#222"><rect width="100%" height="100%" fill="#fff"/>${body.join('')}</svg>\n`;
}

function drawPanel(panel: Panel, x: number, row: number, columns: { panels: Panel[] }[]): string {
  const y = 30 + row * (size.height + size.top + size.gap) + size.top;
  // Both columns have the same scale.
  const all = columns.flatMap(
    ({ panels }) => panels[row]?.series.flatMap((one) => one.points) ?? [],
  );
  const most = niceAbove(Math.max(1, ...all.map(({ value }) => value)));
  const end = Math.max(1, ...all.map(({ minute }) => minute));
  const px = (minute: number) => (x + (minute / end) * size.width).toFixed(1);
  const py = (value: number) => (y + size.height * (1 - value / most)).toFixed(1);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = py(share * most);
    return `<path d="M${x} ${at}h${size.width}" stroke="#ddd"/><text x="${x - 8}" y="${at}" dy="4" text-anchor="end">${+(share * most).toFixed(2)}</text>`;
  });
  const minutes = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const minute = share * end;
    return `<text x="${px(minute)}" y="${y + size.height + 16}" text-anchor="middle">${minute.toFixed(0)} min</text>`;
  });
  const lines = panel.series.map(({ color, points }) => {
    const path = points.map(({ minute, value }) => `${px(minute)} ${py(value)}`).join('L');
    return `<path d="M${path}" fill="none" stroke="${color}" stroke-width="1.6"/>`;
  });
  const legend = panel.series.map(({ name, color }, index) => {
    const at = x + 220 + index * 130;
    return `<rect x="${at}" y="${y - 22}" width="10" height="10" fill="${color}"/><text x="${at + 15}" y="${y - 13}">${name}</text>`;
  });
  const title = `<text x="${x}" y="${y - 13}" font-weight="600">${panel.title}, ${panel.unit}</text>`;
  return [title, ...grid, ...minutes, ...lines, ...legend].join('');
}

function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10);
}
