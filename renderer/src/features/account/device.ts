const programs: readonly [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(?:e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^groundctl/, 'groundctl'],
  [/^curl\//, 'curl'],
];
const systems: readonly [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** Returns a readable form of a user agent, such as `Firefox · Linux`; undefined when it is unknown. */
export function deviceOf(userAgent: string | undefined): string | undefined {
  const findName = (patterns: typeof programs) => patterns.find(([shape]) => shape.test(userAgent ?? ''))?.[1];
  return [findName(programs), findName(systems)].filter((name) => name !== undefined).join(' · ') || undefined;
}
