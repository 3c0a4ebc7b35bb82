/** What stands between a browser and the service, and breaks where a test says. */
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** How much of what an answer's connection has carried so far goes through before it breaks; `undefined`: all of it. */
export type Cut = (sent: Buffer) => number | undefined;

export type CuttingProxy = Awaited<ReturnType<typeof startCuttingProxy>>;

/** Passes bytes on. The next answer that is read through it is cut by what `cutNext` was given. */
export async function startCuttingProxy(target: string) {
  const { hostname, port } = new URL(target);
  const cuts: Cut[] = [];
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let isDown = false;

  const server = createServer((client) => {
    if (isDown) return void client.destroy();
    const service = connect(Number(port), hostname);
    const both = [client, service];
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        for (const other of both) other.destroy();
      });
    }
    let cut: Cut | undefined;
    let sent = Buffer.alloc(0);
    client.on('data', (bytes) => {
      const line = bytes.toString('latin1').split('\r\n', 1)[0] ?? '';
      const isAnswer = /^(POST|GET) \/discovery\/v2\/assistant\/\S+\/(message|stream)[ ?]/.test(
        line,
      );
      if (isAnswer) {
        asked.push(line.replace(/ HTTP.*/, ''));
        cut = cuts.shift();
        sent = Buffer.alloc(0);
      }
      service.write(bytes);
    });
    service.on('data', (bytes) => {
      if (!cut) return void client.write(bytes);
      const before = sent.length;
      sent = Buffer.concat([sent, bytes]);
      const through = cut(sent);
      if (through === undefined) return void client.write(bytes);
      cut = undefined;
      client.write(bytes.subarray(0, Math.max(0, through - before)), () => client.destroy());
    });
  });
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const own = await listen(0);
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    url: `http://127.0.0.1:${own}`,
    /** The request lines of questions and of readers that come back. */
    asked,
    cutNext: (...next: Cut[]) => cuts.push(...next),
    breakAll,
    /** Every connection breaks and none is taken, until it is put up again. */
    down() {
      isDown = true;
      breakAll();
    },
    up() {
      isDown = false;
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Breaks in the place where these bytes end, or so many after their beginning. */
export function at(marker: string, offset = Buffer.byteLength(marker)): Cut {
  return (sent) => {
    const found = sent.indexOf(marker);
    const end = found + offset;
    return found < 0 || sent.length < end ? undefined : end;
  };
}
