/** Numbers in the reader's language. */
const plain = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const wholeShare = new Intl.NumberFormat(undefined, { style: 'percent', signDisplay: 'never' });
const money = (digits: number) =>
  new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
const [dollars, cents] = [money(2), money(4)];

export const formatNumber = (value: number) => plain.format(value);
export const formatShort = (value: number) => short.format(value);
export const formatShare = (value: number) => share.format(value);
/** Small costs have more digits: an answer often costs less than a cent. */
export const formatMoney = (usd: number) =>
  (Math.abs(usd) < 0.1 && usd !== 0 ? cents : dollars).format(usd);

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** "73.2 GB" */
export function formatBytes(bytes: number): string {
  const index = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), byteUnits.length - 1);
  const unit = byteUnits[index] ?? 'byte';
  const format = new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    maximumFractionDigits: 1,
  });
  return format.format(bytes / 1000 ** index);
}

interface StatProps {
  label: string;
  /** `undefined` if there's nothing to count. */
  value: number | undefined;
  /** The same in the period before. */
  before?: number | undefined;
  format?: (value: number) => string;
  /** Whether a higher figure is good news, or bad news. */
  isMoreBetter?: boolean;
  /** More about the figure: "56 without an answer". */
  detail?: string;
  href?: string;
}

/** One figure with its name, and how it changed. */
export function Stat(props: StatProps) {
  const { label, value, before, format = formatNumber, isMoreBetter, detail, href } = props;
  const content = (
    <>
      <span class="stat-label">{label}</span>
      <strong>{value === undefined ? '—' : format(value)}</strong>
      {value !== undefined && before !== undefined && (
        <Change value={value} before={before} format={format} isMoreBetter={isMoreBetter} />
      )}
      {detail && <span>{detail}</span>}
    </>
  );
  return href === undefined ? (
    <div class="stat">{content}</div>
  ) : (
    <a class="stat" href={href}>
      {content}
    </a>
  );
}

interface ChangeProps {
  value: number;
  before: number;
  format: (value: number) => string;
  isMoreBetter: boolean | undefined;
}

/** "↑ 40% from 169", or "↑ from 74.6%" where percents of percents would confuse. */
function Change({ value, before, format, isMoreBetter }: ChangeProps) {
  if (format(value) === format(before)) return <span>Same as before</span>;
  const isClear = Math.abs(value - before) >= 0.05 * before;
  const tone = isMoreBetter !== undefined && isClear ? value > before === isMoreBetter : undefined;
  const share = before === 0 || format === formatShare ? '' : wholeShare.format(value / before - 1);
  return (
    <span>
      <span class={tone === undefined ? undefined : tone ? 'good' : 'bad'}>
        {value > before ? '↑' : '↓'} {share}
      </span>{' '}
      from {format(before)}
    </span>
  );
}
