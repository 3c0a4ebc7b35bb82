/** The answer that every widget shows: 3 kB with what documentation answers have, in 388 pieces. */

/** The last words: once they are on the screen, the answer is whole. */
export const endMarker = 'That is the whole answer.';

/** The first words of all; the page says nothing like it. */
export const beginning = 'Kestrel is';

/** Stands in the first paragraph, which is finished long before the rest. */
export const firstWords = 'a local station that measures wind';

const answer = `${beginning} ${firstWords} and keeps every reading on the machine itself [1]. You install it **once**, calibrate the vane, and read the values through the [local API](/api#readings) or a webhook. Nothing leaves your network unless you *ask* for it.

## Install the station

Before you begin, check three things [2]:

- the machine has **64 MB** of free memory and a clock that is set,
- the port \`8080\` is free, or another one is named in \`kestrel.yaml\`,
- the serial adapter is plugged in:
  - on Linux it shows up as \`/dev/ttyUSB0\`,
  - on macOS as \`/dev/tty.usbserial-110\`.

Then run the installer. It asks for nothing and can be run again at any time:

\`\`\`bash
# Installs into /opt/kestrel and starts the service.
curl -fsSL https://kestrel.example/install.sh -o install.sh
sh install.sh --channel stable --port 8080

# The first reading comes after a few seconds.
kestrel status --watch
\`\`\`

If the last command prints \`no sensor\`, the adapter is not readable for the service user. Add it to the group \`dialout\` and start the service again [2].

## Read the values

Values come as JSON, newest first. A filter keeps the answer small; without one you get the last hour. The table has all parameters [3]:

| Parameter | Meaning | Default |
|---|---|--:|
| \`from\` | Begin of the period, ISO 8601 | one hour ago |
| \`to\` | End of the period | now |
| \`every\` | Mean over this many seconds | \`0\` |
| \`unit\` | \`ms\`, \`kmh\` or \`knots\` | \`ms\` |
| \`limit\` | Most values in one answer | 1,000 |

A program reads them with any HTTP client. In TypeScript it looks like this:

\`\`\`ts
interface Reading {
  at: string;
  speed: number;
  direction: number;
}

export async function readGusts(base: string): Promise<Reading[]> {
  const response = await fetch(\`\${base}/api/readings?every=60&unit=kmh\`);
  if (!response.ok) throw new Error(\`Kestrel answered \${response.status}\`);
  const readings = (await response.json()) as Reading[];
  // A gust is anything above 40 km/h.
  return readings.filter(({ speed }) => speed > 40);
}
\`\`\`

## Calibrate the vane

1. Turn the vane until it points **north** and hold it.
2. Run \`kestrel calibrate --north\` and wait for the tone.
3. Turn it once around, slowly: the station learns the friction.

> The vane keeps its calibration over a restart, but not over a change of the adapter [1].

### When something is wrong

Readings that jump by 180 degrees mean that two wires are swapped. Readings that never change mean that the cable is too long: up to 30 metres work without an amplifier, and up to 120 metres with one [2]. For anything else, \`kestrel doctor\` writes a report that you can read before you send it to anyone.

Readers ask most often about the direction that stays at zero after a storm. Water in the lower bearing is the cause in nine of ten cases: take the cap off, let it dry for an hour, then calibrate again. If it comes back within a week, replace the seal; the part number stands on its rim [1, 3].

`;

/** `times`: so many copies one after the other, for answers of 30 kB. */
export function answerOf(times = 1): string {
  return answer.repeat(times) + endMarker;
}

/** Cut into even pieces, never inside a character. */
export function piecesOf(text: string, count: number): string[] {
  const letters = Array.from(text);
  return Array.from({ length: count }, (_, index) =>
    letters
      .slice(
        Math.round((index * letters.length) / count),
        Math.round(((index + 1) * letters.length) / count),
      )
      .join(''),
  ).filter(Boolean);
}

export const sources = [
  { id: '1', url: '/guide/station#overview', title: 'The station › Overview' },
  { id: '2', url: '/guide/install#requirements', title: 'Install › Requirements' },
  { id: '3', url: '/api#readings', title: 'API › Readings' },
];
