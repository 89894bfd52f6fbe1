/** Request to the child process that accesses the keychain, on its standard input. */
export type KeychainRequest =
  | { op: 'get'; service: string; account: string }
  | { op: 'set'; service: string; account: string; password: string }
  | { op: 'delete'; service: string; account: string };

/** Reason that the keychain could not be accessed. */
export type KeychainFault =
  /** The binding is not installed. */
  | 'no_binding'
  /** The binding is installed, but the system library that it needs is not. */
  | 'no_library'
  /** No keychain runs in this session. */
  | 'no_service'
  | 'locked';

/** Response of the child on its standard output, printed once. */
export type KeychainAnswer = { ok: true; value: string | null } | { ok: false; fault: KeychainFault };
