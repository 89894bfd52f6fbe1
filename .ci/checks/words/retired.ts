/**
 * Words that names no longer use, because an engineer of the field would not expect them there. As prose each of them is
 * plain English; words that are retired everywhere are the `flagWords` of `cspell.json`.
 */
export const retiredInNames: ReadonlySet<string> = new Set(
  `ask asked given found made looked kept place ground room house floor roof door gravity words sentence news hear heard deaf
  look ahead reach standing served fed lend mend lay bin keeper cabinet walk forget survivors endings toolbox obstacle harmless
  front talk played forged arrange`.split(/\s+/),
);

/** Names that hold a retired word all the same, because something outside the code gave them or stored them. */
const storedNames: ReadonlySet<string> = new Set([
  // OpenTofu's action on a resource that leaves the state.
  'forget',
  // Columns of the ledger, and an alias in its SQL.
  'madeBy',
  'made',
  'found',
  // Members of `owner.json`, of the vault's status, of `audit verify --json`, and of a browser's storage.
  'ahead',
  'place',
  'sentence',
  'look',
]);

/** Reports whether a declared name may hold a retired word; `notFound` is the usual name of the HTTP error. */
export const isAllowedName = (name: string): boolean => storedNames.has(name) || /not_?found$/i.test(name);

/** Unidiomatic phrases in documentation and messages. */
export const retiredPhrases: readonly { name: string; pattern: RegExp }[] = [
  { name: 'is no …', pattern: /(?<!\bthere )\bis no\b(?! (?:longer|more)\b)/gi },
  { name: 'takes no …', pattern: /\btakes no\b/gi },
  { name: 'of its own accord', pattern: /\bof its own accord\b/gi },
  { name: 'by itself', pattern: /\bby itself\b/gi },
  { name: 'the end of a …', pattern: /\bthe end of an?\b/gi },
];
