const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name) return entities[String(name).toLowerCase()] ?? whole;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** Returns the raw content of each element of a name, in order. Elements of one name are never nested in S3 answers. */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = [];
  const start = new RegExp(`<${name}(?:\\s[^>]*)?>`, 'g');
  const end = `</${name}>`;
  for (let match = start.exec(xml); match; match = start.exec(xml)) {
    const from = match.index + match[0].length;
    const to = xml.indexOf(end, from);
    if (to < 0) break;
    found.push(xml.slice(from, to));
    start.lastIndex = to + end.length;
  }
  return found;
}

/** Returns the text of the first element of a name. */
export function textOf(xml: string, name: string): string | undefined {
  const [content] = elementsOf(xml, name);
  return content === undefined ? undefined : decode(content);
}

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&${Object.keys(entities).find((name) => entities[name] === sign)};`);
