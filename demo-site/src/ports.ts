/** Finds free ports on this machine. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

/** `localhost` can mean either. Another program on one of them would answer instead of the demo. */
const hosts = ['127.0.0.1', '::1'];
const tries = 50;

export interface PortWish {
  /** The purpose in words, such as "the assistant". */
  purpose: string;
  option: string;
  usual: number;
  /** The port that the user set. 0 is any port. */
  wanted: number | undefined;
  taken?: number[];
}

export async function choosePort(wish: PortWish, say: (line: string) => void): Promise<number> {
  const { purpose, option, usual, wanted, taken = [] } = wish;
  if (wanted === 0) return anyPort();
  if (wanted !== undefined) {
    if (!taken.includes(wanted) && (await isFree(wanted))) return wanted;
    throw new StartError(
      `Port ${wanted} (${option}) is in use. Choose another port, or remove ${option}.`,
    );
  }
  for (let port = usual; port < usual + tries; port += 1) {
    if (taken.includes(port) || !(await isFree(port))) continue;
    if (port !== usual) say(`Port ${usual} is in use, so ${purpose} uses port ${port}.`);
    return port;
  }
  throw new StartError(
    `No port from ${usual} to ${usual + tries - 1} is free for ${purpose}. Set one with ${option}.`,
  );
}

/** Keeps a port from other programs until it's released. */
export async function holdPort(port: number) {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const release = async (): Promise<void> => {
    if (server.listening) await once(server.close(), 'close');
  };
  return { release, [Symbol.asyncDispose]: release };
}

async function isFree(port: number): Promise<boolean> {
  for (const host of hosts) if (!(await canListen(port, host))) return false;
  return true;
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // Without IPv6, no other program can listen there.
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT'),
    );
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

function anyPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
