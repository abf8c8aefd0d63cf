import type { PageData } from '../page-data.ts'
import { announceToScreenReader, getText } from './page.ts'

/**
 * Screen readers announce the remaining time only at these numbers of minutes before the deadline, not every second
 * (WCAG 2.2, criterion 2.2.1).
 */
const ANNOUNCE_AT_MINUTES = [5, 1]

/**
 * In the last 10 minutes the label of the deadline counts down. Before that it shows only the deadline, which causes
 * less anxiety.
 */
const COUNT_FROM_MS = 600_000

/**
 * Counts down to the deadline. At zero it refreshes the page, because only the chain decides whether the charge has
 * expired.
 */
export function startCountdown(current: () => PageData, refresh: () => Promise<unknown>): void {
  let announcedMinutes = Number.POSITIVE_INFINITY
  let isOver = false
  /** Milliseconds by which the payer's clock was behind when the page received the service's time `of`. */
  let behind = { of: '', ms: 0 }
  setInterval(() => {
    const data = current()
    const pill = document.querySelector<HTMLElement>('[data-deadline]')
    if (pill === null) return
    if (behind.of !== data.now) behind = { of: data.now, ms: Date.parse(data.now) - Date.now() }
    const leftMs = Date.parse(data.checkout.expiresAt) - Date.now() - behind.ms
    if (leftMs <= 0) {
      if (!isOver) void refresh()
      isOver = true
      return
    }
    isOver = false
    showTimeLeft(data, pill, leftMs)
    const due = ANNOUNCE_AT_MINUTES.find(
      (minutes) => leftMs <= minutes * 60_000 && minutes < announcedMinutes,
    )
    if (due === undefined) return
    announcedMinutes = due
    announceToScreenReader(getText(data, 'script.left').replace('{left}', timeLeft(leftMs, data.language)))
  }, 1000)
}

function showTimeLeft(data: PageData, pill: HTMLElement, leftMs: number): void {
  write(document.querySelector('[data-left]'), timeLeft(leftMs, data.language))
  if (leftMs > COUNT_FROM_MS) return
  pill.classList.add('warn')
  const seconds = Math.floor(leftMs / 1000)
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  write(pill.querySelector('span'), getText(data, 'script.left').replace('{left}', clock))
}

/** Writes only a changed text, so that text selected in the element stays selected. */
function write(element: Element | null, text: string): void {
  if (element && element.textContent !== text) element.textContent = text
}

/** Shows seconds below five minutes. */
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

/** Shows all times on the page in the payer's time zone. Times marked `data-short` omit the date if it is today. */
export function localizeTimes({ language }: Pick<PageData, 'language'>): void {
  const today = new Date().toDateString()
  for (const element of document.querySelectorAll('time')) {
    const at = new Date(element.dateTime)
    const isShort = 'short' in element.dataset
    const day = isShort
      ? {
          hourCycle: 'h23' as const,
          ...(at.toDateString() === today ? {} : { dateStyle: 'medium' as const }),
        }
      : { dateStyle: 'long' as const }
    element.textContent = new Intl.DateTimeFormat(`${language}-u-nu-latn`, {
      ...day,
      timeStyle: 'short',
    }).format(at)
  }
}
