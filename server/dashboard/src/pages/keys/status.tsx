/** What a key may do and how it stands, in few words. */
import { keyPrefixes, keyScopes } from '@docent/shared/keys';
import type { ManagedKey } from '@docent/shared/managed-keys';
import { Badge } from '../../components/badge.tsx';
import { Two } from '../../components/table.tsx';
import { relativeTime, Time } from '../../components/time.tsx';

/** `svc_dsc_…abcd` */
export const tokenOf = ({ kind, hint }: Pick<ManagedKey, 'kind' | 'hint'>): string =>
  `${keyPrefixes.find(([, each]) => each === kind)?.[0]}…${hint}`;

export const nameOf = (key: ManagedKey): string => key.name || tokenOf(key);

const soonMs = 14 * 86_400_000;

export function Status({ apiKey }: { apiKey: ManagedKey }) {
  const { status, expiresAt, revokedAt, previous } = apiKey;
  if (status === 'revoked' && revokedAt) {
    return (
      <Two first={<Badge>Revoked</Badge>}>
        <Time at={revokedAt} />
      </Two>
    );
  }
  if (status === 'expired') return <Badge tone="bad">Expired</Badge>;
  const left = expiresAt === null ? Infinity : Date.parse(expiresAt) - Date.now();
  return (
    <span class="two-lines">
      {expiresAt === null ? (
        !previous && 'Active'
      ) : left < soonMs ? (
        <Badge tone="warn">Expires {relativeTime(Date.parse(expiresAt), Date.now())}</Badge>
      ) : (
        <span>
          Until <Time at={expiresAt} />
        </span>
      )}
      {previous && <Badge tone="info">Rotating</Badge>}
      {previous && (
        <span class="quiet">
          …{previous.hint} ends <Time at={previous.until} />
          {previous.lastUsedAt ? (
            <>
              , used <Time at={previous.lastUsedAt} />
            </>
          ) : (
            ', unused'
          )}
        </span>
      )}
    </span>
  );
}

/** What the key is restricted to, if it is. */
export function Rights({ apiKey }: { apiKey: ManagedKey }) {
  const { kind, scopes, networks, groups } = apiKey;
  const all: readonly string[] = keyScopes[kind];
  const words = [
    scopes.length < all.length && `only ${scopes.join(', ')}`,
    networks && (networks.length === 1 ? `from ${networks[0]}` : `${networks.length} networks`),
    groups.length > 0 && `groups: ${groups.join(', ')}`,
  ].filter((each) => each !== false && each !== null);
  if (words.length === 0) return null;
  return <span title={networks?.join(', ')}>{words.join(' · ')}</span>;
}
