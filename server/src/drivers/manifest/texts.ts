import { isBuildArgument } from '#shared/install-configs/build-rules';
import { manifestLimits } from '#shared/limits';
import { isBelowRoot, isRelativePath } from '#shared/relative-path';
import { object, type Shape, type TextRule, text } from './shape.ts';

/** Names and texts of the manifest. Names must already be canonical: nothing is trimmed. */

const controls = /(?![\t\n\r])\p{Cc}/u;
const isReadable = (value: string): boolean => /\S/.test(value) && !controls.test(value);
const prose = (max: number): Shape<string, TextRule> =>
  text({ min: 1, max, pattern: /\S/, test: isReadable, says: `1 to ${max} readable characters` });
const token = (max: number): Shape<string, TextRule> =>
  text({
    min: 1,
    max,
    pattern: /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/,
    says: `up to ${max} letters, digits and . _ : / -, beginning with a letter or digit`,
  });

const localized = (max: number) => object({ ja: prose(max), en: prose(max) });
export const label = localized(manifestLimits.labelLength);
export const helper = localized(manifestLimits.helperLength);
export const placeholder = prose(manifestLimits.placeholderLength);
export const token128 = token(128);
export const token256 = token(256);
export const format = token(64);

export const variableName = text({
  min: 1,
  max: 128,
  pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
  says: 'up to 128 letters, digits and underscores, not beginning with a digit',
});
/** Name of an Output as the tools allow it. */
export const outputName = text({
  min: 1,
  max: 128,
  pattern: /^[A-Za-z_][A-Za-z0-9_-]*$/,
  says: 'the name of an Output',
});
export const interfaceName = text({
  min: 1,
  max: 128,
  pattern: /^[A-Za-z][A-Za-z0-9_.-]*$/,
  says: 'up to 128 letters, digits and _ . -, beginning with a letter',
});
export const featureId = text({
  min: 1,
  max: 96,
  pattern: /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/,
  says: 'up to 96 lower-case letters, digits and . _ -, beginning and ending with a letter or digit',
});
export const permission = text({
  min: 1,
  max: manifestLimits.permissionLength,
  pattern: /^[\x21\x23-\x5b\x5d-\x7e]*$/,
  says: 'printable ASCII without space, quote and backslash',
});

/** A URL parser reads `%2e` as a dot. */
const dotSegments = new Set(['.', '..']);
const hasDotSegment = (path: string): boolean =>
  path.split('/').some((part) => dotSegments.has(part.replace(/%2e/gi, '.')));
export const callbackPath = text({
  min: 1,
  max: manifestLimits.callbackPathLength,
  pattern: /^\/(?!\/)[^?#\\\s]*$/,
  test: (path) => !hasDotSegment(path) && !/\p{Cc}/u.test(path),
  says: 'a path that begins with one / and has no ?, #, backslash, white space, . or .. segment',
});

const relative = { min: 1, max: manifestLimits.pathLength, code: 'path_invalid' } as const;
/** A folder of the repository, `.` for its root. */
export const folderPath = text({
  ...relative,
  test: isRelativePath,
  says: '. or a path with single / between names, without . or .. segments',
});
/** A path below the root. */
export const producedPath = text({
  ...relative,
  test: isBelowRoot,
  says: 'a path below the root with single / between names, without . or .. segments',
});
export const argument = text({
  min: 1,
  max: manifestLimits.argLength,
  test: isBuildArgument,
  says: `1 to ${manifestLimits.argLength} characters`,
});
