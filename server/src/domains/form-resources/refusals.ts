import { AppError } from '#server/kernel/errors';

export const versionConflict = (message: string): AppError => new AppError('resource_version_conflict', message);
/** An unknown space is refused as a foreign one. */
export const spaceNotFound = (): AppError =>
  new AppError('permission_denied', 'There is no such space, or you are not a member of it.');
export const noResource = (): AppError =>
  new AppError('resource_not_found', 'There is no such Resource in this space.');
export const unknownForm = (): AppError =>
  new AppError('form_unknown', 'This host has no form of this exact reference. List its forms.');
export const invalid = (message: string, field?: string): AppError =>
  new AppError('invalid_argument', message, field === undefined ? {} : { details: { field } });
export const otherOperation = (): AppError =>
  versionConflict('This Idempotency-Key was used for another operation. Use a new key.');
export const ownedObject = (): AppError =>
  new AppError('import_conflict', 'The native object belongs to another Resource already.');
export const unusableFolder = (): AppError =>
  new AppError(
    'backend_unavailable',
    'The native object cannot be changed: forms/native, or a name in it, is not what the server wrote. The operator has to repair it.',
  );
export const unreadableObject = (): AppError =>
  new AppError(
    'backend_unavailable',
    'The native object of this Resource cannot be read. The operator has to repair or remove its file.',
  );
