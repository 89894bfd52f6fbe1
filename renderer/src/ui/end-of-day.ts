/** The end of a day in the time of whoever chose it; undefined for what is no day. */
export function endOfDay(day: string): Date | undefined {
  const date = new Date(`${day}T23:59:59.000`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
