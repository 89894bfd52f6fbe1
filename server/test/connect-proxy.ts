import net from 'node:net';

export type ConnectProxy = {
  readonly url: string;
  /** First lines of all requests, in order. */
  readonly seen: readonly string[];
  close(): void;
};

/** Starts a proxy on the loopback address that supports only CONNECT. */
export async function startConnectProxy(): Promise<ConnectProxy> {
  const seen: string[] = [];
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    client.once('data', (head) => {
      const line = head.toString('latin1').split('\r\n')[0] ?? '';
      seen.push(line);
      const [host = '', port] = (line.split(' ')[1] ?? '').split(':');
      const upstream = net.connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(upstream).pipe(client);
      });
      sockets.add(upstream);
      upstream.on('error', () => client.destroy());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  };
  return { url: `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`, seen, close };
}
