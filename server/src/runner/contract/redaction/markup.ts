type Spelling = { readonly [char: string]: string };

const basic: Spelling = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const slashed: Spelling = { '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' };

/**
 * Spellings of single characters in XML and HTML (XML 1.0 section 4.6): besides the names there are decimal and
 * hexadecimal numbers, and each encoder uses its own selection.
 */
const spellings: readonly Spelling[] = [
  basic,
  { ...basic, '"': '&quot;' },
  { ...basic, '"': '&quot;', "'": '&apos;' },
  { ...basic, '"': '&quot;', "'": '&#39;' },
  { ...basic, '"': '&quot;', "'": '&#039;' },
  // Python's `html` and most JavaScript templates; some of these escape more characters.
  { ...basic, '"': '&quot;', "'": '&#x27;' },
  { ...basic, '"': '&quot;', "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' },
  { ...basic, '"': '&quot;', "'": '&#x27;', '/': '&#x2F;' },
  { ...basic, '"': '&quot;', "'": '&#39;', ...slashed },
  // Go's `html` and `encoding/xml`.
  { ...basic, '"': '&#34;', "'": '&#39;' },
  { ...basic, '"': '&#34;', "'": '&#39;', '\t': '&#x9;', '\n': '&#xA;', '\r': '&#xD;' },
  // Attributes, where white space would be normalized: libxml2, Python's ElementTree, Xerces.
  { ...basic, '"': '&quot;', '\t': '&#9;', '\n': '&#10;', '\r': '&#13;' },
  { ...basic, '"': '&quot;', '\t': '&#09;', '\n': '&#10;', '\r': '&#13;' },
  { ...basic, '"': '&quot;', '\t': '&#x9;', '\n': '&#xa;', '\r': '&#xd;' },
];

/** ASCII-only writers encode other characters by code point. */
const wide: readonly ((codePoint: number) => string)[] = [
  (codePoint) => `&#${codePoint};`,
  (codePoint) => `&#x${codePoint.toString(16).toUpperCase()};`,
];

/** Returns the forms of a text in XML and HTML, without duplicates. */
export function markupForms(text: string): string[] {
  const escaped = spellings.map((spelling) => text.replaceAll(/[&<>"'`=/\t\n\r]/g, (char) => spelling[char] ?? char));
  const distinct = [...new Set(escaped)];
  const narrow = distinct.flatMap((form) =>
    wide.map((spell) => form.replaceAll(/[^\0-\x7f]/gu, (char) => spell(char.codePointAt(0) as number))),
  );
  return [...new Set([...distinct, ...narrow])];
}
