import { z } from 'zod';
import { manifestLimits } from '../limits.ts';

/** A name of at most `max` characters that a manifest, the tool and a URL accept. */
export const tokenOf = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]*$/);
/** Name of an Interface or of one of its inputs. */
export const InterfaceName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,127}$/);
/** A permission on an Interface: visible ASCII without quotes and backslash (RFC 6749, 3.3, scope-token). */
export const Permission = z
  .string()
  .max(manifestLimits.permissionLength)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
export const Permissions = z
  .array(Permission)
  .min(1)
  .max(manifestLimits.permissions)
  .refine((permissions) => new Set(permissions).size === permissions.length, 'A permission is listed twice.');
