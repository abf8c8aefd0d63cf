import type { PageData } from '../page-data.ts'
import { announceToScreenReader, getText } from './page.ts'

/**
 * Remaining minutes at which a screen reader announces the time left (WCAG 2.2, 2.2.1). It is not announced every
 * second.
 */
const ANNOUNCE_AT_MINUTES = [5, 1]

/**
 * Remaining time from which the label of the deadline counts down. Before that, the label shows only the deadline,
 * which causes less anxiety.
 */
const COUNT_FROM_MS = 600_000

/**
 * Counts down to the deadline. At zero it only refreshes the page, because the chain decides whether the charge has
 * expired.
 */
export function startCountdown(current: () => PageData, refresh: () => Promise<unknown>): void {
  let announcedMinutes = Number.POSITIVE_INFINITY
  let isOver = false
  /** How far the payer's clock was behind the service's clock when the page received the service's time `of`. */
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

/** Writes only a changed text, so that a selection in the element is kept. */
function write(element: Element | null, text: string): void {
  if (element && element.textContent !== text) element.textContent = text
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

/** Shows all times of the page in the payer's time zone. Short times of the current day have no date. */
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
