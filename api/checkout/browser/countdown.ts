import type { PageData } from '../page-data.ts'
import { announceToScreenReader } from './page.ts'

/**
 * Remaining minutes at which a screen reader announces the time left (WCAG 2.2, 2.2.1). It is not announced every
 * second.
 */
const ANNOUNCE_AT_MINUTES = [5, 1]

/**
 * Counts down to the deadline. At zero it refreshes the page and shows nothing else, because the chain decides whether
 * the charge has expired.
 */
export function startCountdown(current: () => PageData, refresh: () => Promise<unknown>): void {
  let announcedMinutes = Number.POSITIVE_INFINITY
  let isOver = false
  /** Difference between the payer's clock and the service's. */
  let behind = { of: '', ms: 0 }
  setInterval(() => {
    const data = current()
    const timeElement = document.querySelector<HTMLElement>('[data-deadline]')
    if (timeElement === null) return
    if (behind.of !== data.now) behind = { of: data.now, ms: Date.parse(data.now) - Date.now() }
    const leftMs = Date.parse(data.checkout.expiresAt) - Date.now() - behind.ms
    if (leftMs <= 0) {
      if (!isOver) void refresh()
      isOver = true
      return
    }
    isOver = false
    const text = timeLeft(leftMs, data.language)
    if (timeElement.textContent !== text) timeElement.textContent = text
    const due = ANNOUNCE_AT_MINUTES.find(
      (minutes) => leftMs <= minutes * 60_000 && minutes < announcedMinutes,
    )
    if (due === undefined) return
    announcedMinutes = due
    announceToScreenReader(data.texts['script.left'].replace('{left}', timeLeft(leftMs, data.language)))
  }, 1000)
}

/** Formats the minutes left, with seconds in the last five minutes. */
function timeLeft(leftMs: number, language: string): string {
  const format = (value: number, unit: string) =>
    new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
  const seconds = Math.floor(leftMs / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes >= 5) return format(minutes, 'minute')
  return minutes === 0
    ? format(seconds, 'second')
    : `${format(minutes, 'minute')} ${format(seconds % 60, 'second')}`
}

/** Shows all times of the page in the payer's time zone. */
export function localizeTimes({ language }: PageData): void {
  const format = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { dateStyle: 'long', timeStyle: 'short' })
  for (const timeElement of document.querySelectorAll('time'))
    timeElement.textContent = format.format(new Date(timeElement.dateTime))
}
