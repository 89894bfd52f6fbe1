/** What the child that speaks with the keychain is asked, on its standard input. */
export type KeychainRequest =
  | { op: 'get'; service: string; account: string }
  | { op: 'set'; service: string; account: string; password: string }
  | { op: 'delete'; service: string; account: string };

/** Why the keychain could not be asked. */
export type KeychainFault =
  /** The binding is not installed. */
  | 'no_binding'
  /** The binding is there and the library of the system it needs is not. */
  | 'no_library'
  /** No keychain runs in this session. */
  | 'no_service'
  | 'locked';

/** What it prints on its standard output, once. */
export type KeychainAnswer = { ok: true; value: string | null } | { ok: false; fault: KeychainFault };
