import { useState } from 'preact/hooks';
import { fill, useText } from '../text/text.ts';
import { Button } from '../panel/components/icon-button.tsx';

/**
 * A picture of another host loads only if the reader wants it, because the request tells that host
 * about the reader.
 */
export function RemotePicture({ url, name }: { url: string; name: string }) {
  const text = useText();
  const [isWanted, setWanted] = useState(false);
  if (isWanted) return <img src={url} alt={name} referrerpolicy="no-referrer" />;
  return (
    <Button
      class="button remote-picture"
      testId="docent-load-picture"
      title={url}
      onClick={() => setWanted(true)}
    >
      {fill(text.loadPicture, { host: new URL(url).host, name })}
    </Button>
  );
}
