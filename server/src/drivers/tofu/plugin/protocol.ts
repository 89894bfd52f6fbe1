/*
 * Parts of the plugin protocol that a schema needs: the handshake of go-plugin (github.com/hashicorp/go-plugin,
 * docs/guide-plugin-write-non-go.md), unary calls of gRPC over HTTP/2 (PROTOCOL-HTTP2.md of grpc/grpc), and the names
 * of the methods (tfplugin5.proto and tfplugin6.proto of OpenTofu).
 */

/** Version of the protocol that a provider speaks. */
export type PluginProtocol = 5 | 6;

/** Environment that a provider requires. Without it, it exits with the message that it must not be started by hand. */
export const pluginEnvironment: Readonly<Record<string, string>> = {
  TF_PLUGIN_MAGIC_COOKIE: 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2',
  PLUGIN_PROTOCOL_VERSIONS: '5,6',
};

export type Handshake = { protocol: PluginProtocol; socket: string };

/** Reads the first line that a provider prints; undefined unless it listens at a Unix socket, without TLS. */
export function parseHandshake(line: string): Handshake | undefined {
  const [core, protocol, network, socket, kind, certificate = ''] = line.trim().split('|');
  const version = protocol === '5' ? 5 : protocol === '6' ? 6 : undefined;
  const isReadable = core === '1' && network === 'unix' && kind === 'grpc' && certificate === '';
  return isReadable && version !== undefined && socket ? { protocol: version, socket } : undefined;
}

/** Path of the call that returns the schema. */
export const schemaMethods: Readonly<Record<PluginProtocol, string>> = {
  5: '/tfplugin5.Provider/GetSchema',
  6: '/tfplugin6.Provider/GetProviderSchema',
};

/** Service of the provider itself; a process serves those of the plugin library too. */
export const providerServices: Readonly<Record<PluginProtocol, string>> = {
  5: '/tfplugin5.Provider/',
  6: '/tfplugin6.Provider/',
};

/** Path of the call that gives a process its configuration, which it keeps until it ends. */
export const configureMethods: Readonly<Record<PluginProtocol, string>> = {
  5: '/tfplugin5.Provider/Configure',
  6: '/tfplugin6.Provider/ConfigureProvider',
};

/** Path of the call by which a cancel reaches a provider. */
export const stopMethods: Readonly<Record<PluginProtocol, string>> = {
  5: '/tfplugin5.Provider/Stop',
  6: '/tfplugin6.Provider/StopProvider',
};

/** Path of the call that ends a provider. */
export const shutdownMethod = '/plugin.GRPCController/Shutdown';

export const grpcType = 'application/grpc';
/** Status numbers of gRPC. */
export const grpcStatus = { ok: '0', unimplemented: '12', unavailable: '14' } as const;

/** A flag for compression, which is never requested, and the length of the message in four bytes. */
const prefixBytes = 5;

export function frameMessage(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Returns the one message of an answer; undefined when it is compressed, cut short or followed by more. */
export function readFrame(answer: Buffer): Buffer | undefined {
  const isWhole =
    answer.length >= prefixBytes && answer[0] === 0 && answer.readUInt32BE(1) === answer.length - prefixBytes;
  return isWhole ? answer.subarray(prefixBytes) : undefined;
}

/** A provider that already listens, so that the tool does not start it. */
type RunningProvider = Handshake & { address: string };

/** Returns the value of `TF_REATTACH_PROVIDERS`. With `Test` the tool does not end the process `Pid`. */
export const reattachProviders = (providers: readonly RunningProvider[]): string =>
  JSON.stringify(
    Object.fromEntries(
      providers.map(({ address, protocol, socket }) => [
        address,
        {
          Protocol: 'grpc',
          ProtocolVersion: protocol,
          Pid: 1,
          Test: true,
          Addr: { Network: 'unix', String: socket },
        },
      ]),
    ),
  );
