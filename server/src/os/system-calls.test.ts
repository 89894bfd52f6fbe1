import { describe, expect, it } from 'vitest';
import { callFilter } from './system-calls.ts';

type SystemCall = { arch: number; call: number; argument?: number };

/** Runs the filter as the kernel would and returns its verdict. */
function judge(filter: Buffer, systemCall: SystemCall): 'allowed' | 'refused' {
  const parts: { readonly [offset: number]: number } = {
    0: systemCall.call,
    4: systemCall.arch,
    16: systemCall.argument ?? 0,
  };
  let register = 0;
  for (let at = 0; ; at += 8) {
    const [code, value] = [filter.readUInt16LE(at), filter.readUInt32LE(at + 4)];
    if (code === 0x06) return value === 0x7fff_0000 ? 'allowed' : 'refused';
    if (code === 0x20) register = parts[value] ?? Number.NaN;
    else at += 8 * filter.readUInt8(at + (isTrue(code, register, value) ? 2 : 3));
  }
}

const isTrue = (code: number, register: number, value: number): boolean =>
  code === 0x15 ? register === value : register >= value;

describe.each([
  [
    'x64',
    0xc000_003e,
    {
      keyctl: 250,
      add_key: 248,
      io_uring_setup: 425,
      kexec_load: 246,
      bpf: 321,
      ptrace: 101,
      process_vm_readv: 310,
      kcmp: 312,
      pidfd_getfd: 438,
      socket: 41,
      socketpair: 53,
      prlimit64: 302,
      read: 0,
      execve: 59,
    },
  ],
  [
    'arm64',
    0xc000_00b7,
    {
      keyctl: 219,
      add_key: 217,
      io_uring_setup: 425,
      kexec_load: 104,
      bpf: 280,
      ptrace: 117,
      process_vm_readv: 270,
      kcmp: 272,
      pidfd_getfd: 438,
      socket: 198,
      socketpair: 199,
      prlimit64: 261,
      read: 63,
      execve: 221,
    },
  ],
] as const)('the filter for %s', (name, arch, calls) => {
  const filter = callFilter(name) as Buffer;

  it.each([
    'keyctl',
    'add_key',
    'io_uring_setup',
    'kexec_load',
    'bpf',
    'ptrace',
    'process_vm_readv',
    'kcmp',
    'pidfd_getfd',
  ] as const)('refuses %s', (call) => {
    expect(judge(filter, { arch, call: calls[call] })).toBe('refused');
  });

  it.each(['read', 'execve', 'socket'] as const)('allows %s', (call) => {
    expect(judge(filter, { arch, call: calls[call], argument: 2 })).toBe('allowed');
  });

  it.each([
    ['AF_UNIX', 1, 'allowed'],
    ['AF_INET', 2, 'allowed'],
    ['AF_INET6', 10, 'allowed'],
    ['AF_NETLINK', 16, 'allowed'],
    ['AF_PACKET', 17, 'refused'],
    ['AF_ALG', 38, 'refused'],
    ['AF_VSOCK', 40, 'refused'],
  ] as const)('treats sockets of %s (%i) as %s', (_, argument, verdict) => {
    expect(judge(filter, { arch, call: calls.socket, argument })).toBe(verdict);
    expect(judge(filter, { arch, call: calls.socketpair, argument })).toBe(verdict);
  });

  it('allows a process only its own limits', () => {
    expect(judge(filter, { arch, call: calls.prlimit64, argument: 0 })).toBe('allowed');
    expect(judge(filter, { arch, call: calls.prlimit64, argument: 1 })).toBe('refused');
  });

  it('refuses every call of another architecture', () => {
    expect(judge(filter, { arch: 0x4000_0003, call: calls.read })).toBe('refused');
  });
});

describe('the filter', () => {
  it('refuses the x32 system calls of x64', () => {
    expect(judge(callFilter('x64') as Buffer, { arch: 0xc000_003e, call: 0x4000_0000 })).toBe('refused');
  });

  it('is undefined for an unknown processor', () => {
    expect(callFilter('riscv64')).toBeUndefined();
  });
});
