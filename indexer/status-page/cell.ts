/** A value as text, and whether it needs the operator's attention. */
export type Cell = { readonly text: string; readonly isBad: boolean }

/** Formats a count, rounded down, with thousands separators. */
export function formatCount(count: number): string {
  return Math.floor(count).toLocaleString('en-US')
}

/** Formats a time in UTC, to the second. */
export function formatTime(time: Date): string {
  return time.toISOString().slice(0, 19).replace('T', ' ')
}

export function formatAge(seconds: number | null): string {
  return seconds === null ? 'age unknown' : `${formatSeconds(seconds)} old`
}

export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

export function formatCoins(coins: number): string {
  return coins.toLocaleString('en-US', { maximumSignificantDigits: 4 })
}
