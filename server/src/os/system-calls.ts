import { existsSync } from 'node:fs';

/*
 * System calls that namespaces do not isolate. The kernel's key store is reachable for every process that inherits a
 * session, sockets of some families (AF_VSOCK) lead out of a virtual machine from any network, some calls affect other
 * processes, and some are of no use to a tool and have been used in many sandbox escapes. A filter (seccomp(2), in the
 * classic form of bpf(4)) answers all of them like a kernel without them.
 */

type Architecture = {
  /** `AUDIT_ARCH_…` of the calls that this processor's own programs make. */
  audit: number;
  calls: readonly number[];
  /** socket and socketpair, whose first argument is a family. */
  sockets: readonly number[];
  /** prlimit64, whose first argument is a process. */
  limits: number;
  /** Numbers from here on belong to another ABI of the same kernel (x32). */
  foreignFrom?: number;
};

/**
 * By name: add_key request_key keyctl | bpf perf_event_open userfaultfd | io_uring_setup _enter _register | kexec_load
 * kexec_file_load | ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise.
 */
const architectures: { readonly [arch: string]: Architecture } = {
  x64: {
    audit: 0xc000_003e,
    calls: [248, 249, 250, 321, 298, 323, 425, 426, 427, 246, 320, 101, 310, 311, 312, 438, 440],
    sockets: [41, 53],
    limits: 302,
    foreignFrom: 0x4000_0000,
  },
  arm64: {
    audit: 0xc000_00b7,
    calls: [217, 218, 219, 280, 241, 282, 425, 426, 427, 104, 294, 117, 270, 271, 272, 438, 440],
    sockets: [198, 199],
    limits: 261,
  },
};

/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK, with which Go reads the addresses of the machine. */
const socketFamilies = [1, 2, 10, 16];
/** prlimit64(2) of the calling process. */
const ownProcess = 0;
const noSuchCall = 38;

const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const answer = 0x06;
const allow = 0x7fff_0000;
const refuse = 0x0005_0000 | noSuchCall;

/** Offsets in `struct seccomp_data`. */
const at = { call: 0, architecture: 4, firstArgument: 16 } as const;

type Label = 'socket' | 'refuse' | 'allow';
type Instruction = { label?: Label; code: number; value: number; ifTrue?: Label; ifFalse?: Label };

/** Returns the filter for bwrap's `--seccomp`; undefined for an unknown processor. */
export function callFilter(arch: string = process.arch): Buffer | undefined {
  const known = architectures[arch];
  if (known === undefined) return undefined;
  const { audit, calls, sockets, limits, foreignFrom } = known;
  return assemble([
    { code: load, value: at.architecture },
    { code: jumpIfEqual, value: audit, ifFalse: 'refuse' },
    { code: load, value: at.call },
    ...(foreignFrom === undefined ? [] : [{ code: jumpIfAtLeast, value: foreignFrom, ifTrue: 'refuse' as const }]),
    ...calls.map((value) => ({ code: jumpIfEqual, value, ifTrue: 'refuse' as const })),
    ...sockets.map((value) => ({ code: jumpIfEqual, value, ifTrue: 'socket' as const })),
    { code: jumpIfEqual, value: limits, ifFalse: 'allow' },
    { code: load, value: at.firstArgument },
    { code: jumpIfEqual, value: ownProcess, ifTrue: 'allow', ifFalse: 'refuse' },
    { label: 'socket', code: load, value: at.firstArgument },
    ...socketFamilies.map((value) => ({ code: jumpIfEqual, value, ifTrue: 'allow' as const })),
    { label: 'refuse', code: answer, value: refuse },
    { label: 'allow', code: answer, value: allow },
  ]);
}

/** Encodes a program; a jump leads to a later label, or to the next instruction when it names none. */
function assemble(program: readonly Instruction[]): Buffer {
  const jump = (from: number, to: Label | undefined): number =>
    to === undefined ? 0 : program.findIndex(({ label }) => label === to) - from - 1;
  return Buffer.concat(
    program.map(({ code, value, ifTrue, ifFalse }, index) =>
      encode({ code, value, ifTrue: jump(index, ifTrue), ifFalse: jump(index, ifFalse) }),
    ),
  );
}

/** Returns the filter if the kernel supports filters: one that does not would refuse to start anything. */
export const findCallFilter = (): Buffer | undefined =>
  existsSync('/proc/sys/kernel/seccomp/actions_avail') ? callFilter() : undefined;

/** Encodes a `struct sock_filter`: code, jump distances for true and false, and the value. */
function encode({ code, value, ifTrue, ifFalse }: Record<'code' | 'value' | 'ifTrue' | 'ifFalse', number>): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
