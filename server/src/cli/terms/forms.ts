import type { Terms } from './terms.ts';

/** Commands of the form host. */
export const formsTerms = {
  'forms conformance': {
    does: 'checks a form host through its public protocol, and writes a report',
    takes: ['endpoint', 'form', 'space', 'import', 'ca', 'report', 'json'],
    argNames: [],
    help: `  --endpoint URL       origin of the host, such as https://ground.example; GROUNDCTL_TOKEN holds the token
  --form FILE          fixture: the exact form, a name, two desired states and invalid ones
  --space WORKSPACE    handle or id of the Workspace; that of the fixture unless given
  --import NATIVE_ID   also imports this native object; it is deleted at the end
  --ca FILE            PEM file of an authority to trust besides the usual ones
  --report FILE        writes the report to a new file
  --json               the report on standard output

The check creates a Resource, changes it and deletes it. The exit code is 0 only when every stage passed.`,
  },
  'forms lint': {
    does: 'checks form packages without a server',
    takes: ['write', 'json'],
    argNames: ['a package file'],
    takesMore: true,
    help: `  --write              fills in schemaDigest and packageDigest
  --json               one JSON document

Each problem is named by its JSON Pointer. The exit code is 1 when there is one.`,
  },
  'forms install': {
    does: 'installs a form package',
    takes: ['data-dir', 'name', 'json'],
    argNames: ['a package file'],
    help: `  --data-dir DIR       the server that runs on this folder; without one the next start reads the package
  --name NAME          name of the file in forms/; that of the package file unless given
  --json               one JSON document`,
  },
  'forms list': {
    does: 'lists the form packages, and why one is not installed',
    takes: ['data-dir', 'json'],
    argNames: [],
    help: `  --data-dir DIR       the server that runs on this folder; without one the files in forms/ are listed
  --json               one JSON document`,
  },
} as const satisfies Readonly<Record<string, Terms>>;
