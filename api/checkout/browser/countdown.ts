import type { PageData } from '../page-data.ts'
import { announce } from './page.ts'

/** When a payer who cannot see the time is told of it (WCAG 2.2, 2.2.1); not each second. */
const TOLD_AT_MINUTES = [5, 1]

/** Counts down to the deadline; at zero it says nothing, for the chain decides, and has the page looked at again. */
export function startCountdown(current: () => PageData, refresh: () => Promise<unknown>): void {
  let toldMinutes = Number.POSITIVE_INFINITY
  let isOver = false
  /** How far the payer's clock is behind the service's. */
  let behind = { of: '', ms: 0 }
  setInterval(() => {
    const data = current()
    const place = document.querySelector<HTMLElement>('[data-deadline]')
    if (place === null) return
    if (behind.of !== data.now) behind = { of: data.now, ms: Date.parse(data.now) - Date.now() }
    const leftMs = Date.parse(data.checkout.expiresAt) - Date.now() - behind.ms
    if (leftMs <= 0) {
      if (!isOver) void refresh()
      isOver = true
      return
    }
    isOver = false
    const text = timeLeft(leftMs, data.language)
    if (place.textContent !== text) place.textContent = text
    const due = TOLD_AT_MINUTES.find((minutes) => leftMs <= minutes * 60_000 && minutes < toldMinutes)
    if (due === undefined) return
    toldMinutes = due
    announce(data.texts['script.left'].replace('{left}', timeLeft(leftMs, data.language)))
  }, 1000)
}

/** Minutes, and in the last five of them seconds too. */
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

/** Writes every moment of the page in the payer's own time. */
export function localizeTimes({ language }: PageData): void {
  const format = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { dateStyle: 'long', timeStyle: 'short' })
  for (const place of document.querySelectorAll('time'))
    place.textContent = format.format(new Date(place.dateTime))
}
