/** Packages that the server's bundle imports at run time: native ones, and WASM that is read from beside its module. */
export const externals = ['better-sqlite3', '@cdktn/hcl2json', '@node-rs/argon2', 'web-tree-sitter'];

/** Packages that are used where npm could install them: without a keychain the key is in a file. */
export const optionalExternals = ['keytar'];
