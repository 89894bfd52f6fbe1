/** The end of a day in the user's time zone; undefined for an invalid day. */
export function endOfDay(day: string): Date | undefined {
  const date = new Date(`${day}T23:59:59.000`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
