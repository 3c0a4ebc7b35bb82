/** Numbers in the reader's language. */
const plain = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
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
  (Math.abs(usd) < 1 && usd !== 0 ? cents : dollars).format(usd);

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

type Kind = 'plain' | 'short' | 'share' | 'money';
const formats: Record<Kind, (value: number) => string> = {
  plain: formatNumber,
  short: formatShort,
  share: formatShare,
  money: formatMoney,
};

/** "12.3K", with the exact number on hover. */
export const Num = ({ value, as = 'plain' }: { value: number; as?: Kind }) => (
  <span class="number" title={as === 'short' ? formatNumber(value) : undefined}>
    {formats[as](value)}
  </span>
);

interface StatProps {
  label: string;
  value: string;
  /** This period against the one before: 0.12 is 12 % more. */
  change?: number | undefined;
  /** Whether more is better; a cost is worse if it's higher. */
  isMoreBetter?: boolean;
  href?: string;
}

/** One figure with its name. */
export function Stat({ label, value, change, isMoreBetter = true, href }: StatProps) {
  const isGood = change !== undefined && change !== 0 && change > 0 === isMoreBetter;
  const content = (
    <>
      <span class="stat-label">{label}</span>
      <strong class="number">{value}</strong>
      {change !== undefined && (
        <span class={change === 0 ? 'quiet' : isGood ? 'good' : 'bad'}>
          {change > 0 ? '+' : ''}
          {formatShare(change)}
        </span>
      )}
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
