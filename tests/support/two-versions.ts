/** Documentation in two versions that say different things about the wind vane, and the same about batteries. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const files = {
  'v1/vane.md':
    '# Wind vane\n\nCalibrate the wind vane by hand: loosen the brass screw, turn the arrow to the north with a compass, and tighten the screw again. Repeat it each spring.\n',
  'v2/vane.md':
    '# Wind vane\n\nTo calibrate the wind vane, open the Kestrel application, choose **Sensors**, and press `Calibrate`. The station finds true north by satellite within ninety seconds.\n',
  'v1/batteries.md':
    '# Batteries\n\nReplace the batteries of the station with two AA cells every autumn.\n',
  'v2/batteries.md':
    '# Batteries\n\nReplace the batteries of the station with two AA cells each autumn.\n',
  'v2/map.md': '# Live map\n\nThe live map shows all stations near you, and their readings.\n',
};

/** Writes them below a folder, and says what a site's sources are. */
export async function writeTwoVersions(folder: string) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return ['1', '2'].map((version) => ({
    type: 'folder' as const,
    folder: join(folder, `v${version}`),
    basePath: `/v${version}`,
    version,
  }));
}
